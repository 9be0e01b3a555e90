/** Deletes identities and erases what the API never showed of them. */
import { type Kysely, sql } from 'kysely';
import { eraseFromCallbacks } from '../../../business/callbacks/callback-log.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { errors, throwAny } from '../../../engines/jsonapi/errors.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { lockIdentity, usesOfAddresses } from './paperwork-in-use.ts';

/**
 * Deletes an identity with its addresses, proofs, documents and their files; uploads that these were made from stay
 * until they expire, as the contract has it. If an approved verification refers to one of the addresses, that address
 * and the identity are hidden instead, because they must stay on record.
 */
export async function deleteIdentity(context: PlatformContext, id: string): Promise<void> {
  const { accountId } = callerOf(context);
  await inTransaction(context.env.db, async (trx) => {
    await lockIdentity(trx, { identityId: id, addressId: null });
    const addresses = await addressesOf(trx, id);
    const all = addresses.map((address) => address.id);
    throwAny([...(await usesByNumbers(trx, id)), ...(await usesOfAddresses(trx, all))].map(errors.conflict));
    const [kept, erased] = [idsWhere(addresses, true), idsWhere(addresses, false)];
    await eraseRemarks(trx, { accountId, addressIds: erased });
    await eraseOnetimeFiles(trx, all);
    if (kept.length > 0) return hide(trx, context.now, { identityId: id, kept });
    await trx.deleteFrom('identities').where('id', '=', id).where('account_id', '=', accountId).execute();
  });
}

interface OwnAddress {
  id: string;
  approved: boolean;
}

const idsWhere = (addresses: readonly OwnAddress[], approved: boolean): string[] =>
  addresses.filter((address) => address.approved === approved).map(({ id }) => id);

const addressesOf = (trx: Kysely<Schema>, identityId: string): Promise<OwnAddress[]> =>
  trx
    .selectFrom('addresses as a')
    .select((select) => [
      'a.id',
      select
        .exists(
          select
            .selectFrom('address_verifications as v')
            .select('v.id')
            .whereRef('v.address_id', '=', 'a.id')
            .where('v.status', '=', 'approved'),
        )
        .$castTo<boolean>()
        .as('approved'),
    ])
    .where('a.identity_id', '=', identityId)
    .execute();

/** Returns one sentence for each number that is registered to the identity, at most ten. */
async function usesByNumbers(trx: Kysely<Schema>, identityId: string): Promise<string[]> {
  const numbers = await trx
    .selectFrom('dids')
    .select('number')
    .where('identity_id', '=', identityId)
    .orderBy('number')
    .limit(10)
    .execute();
  return numbers.map(({ number }) => `The number ${number} is registered to this identity.`);
}

/** Hides the identity and the addresses to keep; deletes its other addresses, proofs and documents. */
async function hide(
  trx: Kysely<Schema>,
  now: Date,
  { identityId, kept }: { identityId: string; kept: readonly string[] },
): Promise<void> {
  await trx.deleteFrom('addresses').where('identity_id', '=', identityId).where('id', 'not in', kept).execute();
  await trx
    .updateTable('addresses')
    .set({ hidden_at: now })
    .where('id', 'in', kept)
    .where('hidden_at', 'is', null)
    .execute();
  await trx
    .deleteFrom('proofs')
    .where((where) => where.or([where('identity_id', '=', identityId), where('address_id', 'in', kept)]))
    .execute();
  await trx.deleteFrom('permanent_supporting_documents').where('identity_id', '=', identityId).execute();
  await trx.updateTable('identities').set({ hidden_at: now }).where('id', '=', identityId).execute();
}

/**
 * Erases the texts that customer and reviewer wrote into submissions and their callbacks; the submissions stay on
 * record.
 */
async function eraseRemarks(
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
