/** Whether a VAT number can be one of a country. */

/** Countries of the European Union, by the prefix their VAT numbers carry. */
const PREFIXES: Readonly<Record<string, string>> = Object.fromEntries(
  'AT BE BG CY CZ DE DK EE ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'
    .split(' ')
    .map((iso) => [iso, iso] as const)
    .concat([['GR', 'EL']]),
);

/**
 * Inside the Union: the country's own prefix or none, then 2 to 12 letters and digits with a digit among them. Other
 * countries have no common form, so any text will do.
 */
export function fitsCountry(vatNumber: string, iso: string): boolean {
  const prefix = PREFIXES[iso];
  if (prefix === undefined) return true;
  const text = vatNumber.replace(/[\s.-]/g, '').toUpperCase();
  const written = Object.values(PREFIXES).find((each) => text.startsWith(each));
  if (written !== undefined && written !== prefix) return false;
  return /^(?=.*\d)[A-Z0-9+*]{2,12}$/.test(written === undefined ? text : text.slice(prefix.length));
}
