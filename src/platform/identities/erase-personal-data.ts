/** Erases personal data that is not deleted together with the row of an identity or address. */
import { type Kysely, sql } from 'kysely';
import { eraseFromCallbacks } from '../../callbacks/callback-log.ts';
import type { Schema } from '../../db/schema.ts';

/** Deletes the unexpired uploads from which an identity's proofs, documents and submissions got their files. */
export async function eraseUploads(
  trx: Kysely<Schema>,
  { identityId, addressIds }: { identityId: string; addressIds: readonly string[] },
): Promise<void> {
  const ids = sql`any(${addressIds}::uuid[])`;
  await sql`
    delete from encrypted_files e using kept_files k
      left join proofs p on p.id = k.proof_id
      left join permanent_supporting_documents d on d.id = k.document_id
      left join address_verifications v on v.id = k.address_verification_id
    where k.stored_file_id = e.stored_file_id
      and (p.identity_id = ${identityId} or d.identity_id = ${identityId} or p.address_id = ${ids} or v.address_id = ${ids})
  `.execute(trx);
}

/** Erases the texts that customer and reviewer wrote into submissions and their callbacks; the submissions stay on record. */
export async function eraseRemarks(
  trx: Kysely<Schema>,
  { accountId, addressIds }: { accountId: string; addressIds: readonly string[] },
): Promise<void> {
  const ids = sql`any(${addressIds}::uuid[])`;
  const { rows } = await sql<{ id: string }>`
    with registrations as (
      update address_verifications set service_description = null, reject_comment = null where address_id = ${ids}
      returning id
    ), services as (
      update emergency_verifications set reject_comment = null where address_id = ${ids} returning id
    )
    select id from registrations union all select id from services`.execute(trx);
  const resourceIds = rows.map(({ id }) => id);
  await eraseFromCallbacks(trx, { accountId, resourceIds, member: 'reject_comment' });
}

/** Erases the one-time documents of submissions for these addresses; the decided submissions stay on record. */
export async function eraseOnetimeFiles(trx: Kysely<Schema>, addressIds: readonly string[]): Promise<void> {
  await sql`
    delete from kept_files k using address_verifications v
    where v.id = k.address_verification_id and v.address_id = any(${addressIds}::uuid[])
  `.execute(trx);
}
