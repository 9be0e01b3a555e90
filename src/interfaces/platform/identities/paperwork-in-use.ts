/**
 * Keeps identities, addresses, proofs and documents from being deleted while a submission uses them. A submission takes
 * a shared lock on the identity and the address; a deletion takes an exclusive lock on the identity, so it waits for a
 * running submission and then sees it. Without the locks both could check before either has written.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { invalid, refuse } from '../../../engines/jsonapi/errors.ts';

/** Locks an address and its identity for a submission. */
export async function lockForSubmission(trx: Kysely<Schema>, addressId: string): Promise<void> {
  await sql`
    select from identities i join addresses a on a.identity_id = i.id where a.id = ${addressId} for share of i, a
  `.execute(trx);
}

/** One of the two: an identity, or the address whose identity is meant. */
interface Owner {
  identityId: string | null;
  addressId: string | null;
}

/** Locks an identity for a deletion: until the transaction ends nothing of it is submitted or deleted elsewhere. */
export async function lockIdentity(trx: Kysely<Schema>, owner: Owner): Promise<void> {
  await sql`
    select from identities i
    where i.id = ${owner.identityId} or i.id = (select a.identity_id from addresses a where a.id = ${owner.addressId})
    for update
  `.execute(trx);
}

/** Locks the identity, and rejects the request if a submission under review uses its proofs and documents. */
export async function refuseUnderReview(trx: Kysely<Schema>, owner: Owner): Promise<void> {
  await lockIdentity(trx, owner);
  const { rows } = await sql<{ used: boolean }>`
    select exists (
      select from address_verifications v join addresses a on a.id = v.address_id
      where v.status = 'pending' and (a.identity_id = ${owner.identityId}::uuid or a.id = ${owner.addressId}::uuid)
    ) as used
  `.execute(trx);
  if (rows[0]?.used) refuse(invalid.base('is used by a verification under review'));
}

/**
 * Returns one sentence for each reason why these addresses cannot be deleted: a submission under review, or an
 * emergency calling service that is not canceled and whose approved or latest submitted address is one of them.
 */
export async function usesOfAddresses(trx: Kysely<Schema>, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ kind: 'verification' | 'service'; reference: string }>`
    select 'verification' as kind, v.reference from address_verifications v
    where v.address_id = any(${ids}::uuid[]) and v.status = 'pending'
    union
    select 'service', s.reference from emergency_verifications v
      join emergency_calling_services s on s.id = v.emergency_calling_service_id
    where v.address_id = any(${ids}::uuid[]) and s.status <> 'canceled' and v.seq in (
      select max(w.seq) from emergency_verifications w where w.emergency_calling_service_id = s.id
      union all
      select max(w.seq) from emergency_verifications w
      where w.emergency_calling_service_id = s.id and w.status = 'approved')
    order by 1 desc, 2
  `.execute(trx);
  return rows.map(({ kind, reference }) =>
    kind === 'verification'
      ? `The address verification ${reference} is pending.`
      : `The emergency calling service ${reference} is not canceled.`,
  );
}
