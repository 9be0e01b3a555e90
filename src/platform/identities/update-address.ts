import type { WriteInput } from '../../jsonapi/resource.ts';
import { columnValues, updateRow } from '../../jsonapi/store.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { findCity } from './find-city.ts';

type AddressChange = WriteInput<{ city_name?: string }>;

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
