/** The rule of an identity that its declaration cannot express: the VAT number must fit the country. */
import { type ErrorObject, invalid, messages } from '../../jsonapi/errors.ts';
import type { Row } from '../../jsonapi/sql.ts';
import type { PlatformContext } from '../context.ts';

export async function checkVatNumber({ query }: PlatformContext, identity: Row): Promise<ErrorObject[]> {
  const { identity_type, vat_id, country } = identity;
  if (identity_type !== 'business' || typeof vat_id !== 'string') return [];
  if (typeof country !== 'string') return [invalid.relationship('country', messages.blank)];
  const [found] = await query('select iso from countries where id = $1', [country]);
  return isVatNumberOf(vat_id, String(found?.iso)) ? [] : [invalid.attribute('vat_id', messages.invalid)];
}

/** The prefixes of VAT numbers in the European Union, by country. */
const VAT_PREFIXES: Readonly<Record<string, string>> = Object.fromEntries(
  'AT BE BG CY CZ DE DK EE ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'
    .split(' ')
    .map((iso) => [iso, iso] as const)
    .concat([['GR', 'EL']]),
);

/**
 * In the European Union: the country's own prefix or none, then 2 to 12 letters and digits with at least one digit. Other
 * countries have no common format, so any text is accepted.
 */
export function isVatNumberOf(vatNumber: string, iso: string): boolean {
  const expected = VAT_PREFIXES[iso];
  if (expected === undefined) return true;
  const text = vatNumber.replace(/[\s.-]/g, '').toUpperCase();
  const found = Object.values(VAT_PREFIXES).find((prefix) => text.startsWith(prefix));
  if (found !== undefined && found !== expected) return false;
  return /^(?=.*\d)[A-Z0-9+*]{2,12}$/.test(found === undefined ? text : text.slice(expected.length));
}
