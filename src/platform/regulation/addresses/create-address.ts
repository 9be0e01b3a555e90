import type { Linkage, WriteInput } from '../../../jsonapi/resource.ts';
import { columnValues, insertRow } from '../../../jsonapi/write.ts';
import { callerOf, type PlatformContext } from '../../context.ts';
import { findCity } from './find-city.ts';

type AddressInput = WriteInput<{ city_name: string }, { identity: Linkage; country: Linkage }>;

export async function createAddress(context: PlatformContext, input: AddressInput): Promise<string> {
  const city = await findCity(context.env.db, input.relationships.country.id, input.attributes.city_name);
  return insertRow(
    context,
    { table: 'addresses' },
    { ...columnValues(input), ...city, account_id: callerOf(context).accountId, created_at: context.now },
  );
}
