/** The rule of an identity that no declaration says: a VAT number is one of the identity's country. */
import { type ErrorObject, invalid, messages } from '../../jsonapi/errors.ts';
import type { Row } from '../../jsonapi/sql.ts';
import type { PlatformContext } from '../context.ts';
import { fitsCountry } from './vat-number.ts';

export async function checkVatNumber({ env }: PlatformContext, identity: Row): Promise<ErrorObject[]> {
  const { identity_type, vat_id, country } = identity;
  if (identity_type !== 'business' || typeof vat_id !== 'string') return [];
  if (typeof country !== 'string') return [invalid.relationship('country', messages.blank)];
  const { iso } = await env.db
    .selectFrom('countries')
    .select('iso')
    .where('id', '=', country)
    .executeTakeFirstOrThrow();
  return fitsCountry(vat_id, iso) ? [] : [invalid.attribute('vat_id', messages.invalid)];
}
