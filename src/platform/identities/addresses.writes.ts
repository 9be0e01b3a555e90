import type { Linkage } from '../../jsonapi/linkage.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { columnValues, insertRow } from '../../jsonapi/store.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { findCity } from './find-city.ts';

type AddressInput = WriteInput<{ city_name: string }, { identity: Linkage; country: Linkage }>;

export async function createAddress(context: PlatformContext, input: AddressInput): Promise<string> {
  const city = await findCity(context.env.db, input.relationships.country.id, input.attributes.city_name);
  const own = { account_id: callerOf(context).accountId, created_at: context.now };
  return insertRow(context, 'addresses', { ...columnValues(input), ...city, ...own });
}
