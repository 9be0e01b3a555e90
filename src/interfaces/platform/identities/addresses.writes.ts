/** Creates, updates and deletes addresses. */

import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { errors, throwAny } from '../../../engines/jsonapi/errors.ts';
import type { CreateInput, UpdateInput } from '../../../engines/jsonapi/sent.ts';
import { columnValues, insertRow, updateRow } from '../../../engines/jsonapi/store.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import type { addressMembers } from './addresses.members.ts';
import { eraseOnetimeFiles } from './identities.writes.ts';
import { lockIdentity, usesOfAddresses } from './paperwork-in-use.ts';

type AddressInput = CreateInput<typeof addressMembers>;
type AddressChange = UpdateInput<typeof addressMembers>;

export async function createAddress(context: PlatformContext, input: AddressInput): Promise<string> {
  const city = await findCity(context.db, input.relationships.country.id, input.attributes.city_name);
  const own = { account_id: callerOf(context).accountId, created_at: context.now };
  return insertRow(context, 'addresses', { ...columnValues(input), ...city, ...own });
}

export async function updateAddress(context: PlatformContext, id: string, input: AddressChange): Promise<void> {
  const { db } = context.env;
  const { city_name: cityName } = input.attributes;
  const { country_id: countryId } = await db
    .selectFrom('addresses')
    .select('country_id')
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .executeTakeFirstOrThrow();
  const city = cityName === undefined ? {} : await findCity(db, countryId, cityName);
  await updateRow(context, 'addresses', id, { ...columnValues(input), ...city });
}

/**
 * Deletes an address. If an approved verification refers to it, it is hidden instead, because it must stay on record.
 */
export async function deleteAddress(context: PlatformContext, id: string): Promise<void> {
  const { accountId } = callerOf(context);
  await inTransaction(context.env.db, async (trx) => {
    await lockIdentity(trx, { identityId: null, addressId: id });
    throwAny((await usesOfAddresses(trx, [id])).map(errors.conflict));
    const approved = await trx
      .selectFrom('address_verifications')
      .select('id')
      .where('address_id', '=', id)
      .where('status', '=', 'approved')
      .executeTakeFirst();
    if (approved) {
      await trx.updateTable('addresses').set({ hidden_at: context.now }).where('id', '=', id).execute();
      return;
    }
    await eraseOnetimeFiles(trx, [id]);
    await trx.deleteFrom('addresses').where('id', '=', id).where('account_id', '=', accountId).execute();
  });
}

/** Returns the city with this name in the coverage and its area, or nulls if there is none. */
async function findCity(
  db: Kysely<Schema>,
  countryId: string,
  name: string,
): Promise<{ city_id: string | null; area_id: string | null }> {
  const city = await db
    .selectFrom('cities')
    .select(['id', 'area_id'])
    .where('country_id', '=', countryId)
    .where(sql<string>`lower(name)`, '=', name.trim().toLowerCase())
    .orderBy('id')
    .executeTakeFirst();
  return { city_id: city?.id ?? null, area_id: city?.area_id ?? null };
}
