import { violatedConstraint } from '../../db/transaction.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { Linkage } from '../../jsonapi/linkage.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { columnValues, insertRow } from '../../jsonapi/write.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { findCity } from './find-city.ts';

type AddressInput = WriteInput<{ city_name: string }, { identity: Linkage; country: Linkage }>;

export async function createAddress(context: PlatformContext, input: AddressInput): Promise<string> {
  const city = await findCity(context.env.db, input.relationships.country.id, input.attributes.city_name);
  const own = { account_id: callerOf(context).accountId, created_at: context.now };
  try {
    return await insertRow(context, { table: 'addresses' }, { ...columnValues(input), ...city, ...own });
  } catch (error) {
    // Deleted since the request was checked.
    if (violatedConstraint(error) !== 'addresses_identity_id_fkey') throw error;
    return refuse(invalid.relationship('identity', messages.invalid));
  }
}
