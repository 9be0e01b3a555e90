/**
 * VAT numbers by country, with their check digits: `stdnum` knows the rules, this file which of them a country's VAT
 * number has to keep. A rule is loaded with the first number of its country.
 */

interface Rule {
  validate(number: string): { isValid: boolean };
}

type Load = () => Promise<Rule>;

/** ISO code → the forms of which the number needs one. */
const rules: Readonly<Record<string, readonly Load[]>> = {
  // The European Union.
  AT: [() => import('stdnum/lib/cjs/at/uid.js')],
  BE: [() => import('stdnum/lib/cjs/be/vat.js')],
  BG: [() => import('stdnum/lib/cjs/bg/vat.js')],
  CY: [() => import('stdnum/lib/cjs/cy/vat.js')],
  CZ: [() => import('stdnum/lib/cjs/cz/dic.js')],
  DE: [() => import('stdnum/lib/cjs/de/vat.js')],
  DK: [() => import('stdnum/lib/cjs/dk/cvr.js')],
  EE: [() => import('stdnum/lib/cjs/ee/kmkr.js')],
  ES: [() => import('stdnum/lib/cjs/es/nif.js')],
  FI: [() => import('stdnum/lib/cjs/fi/alv.js')],
  FR: [() => import('stdnum/lib/cjs/fr/tva.js')],
  GR: [() => import('stdnum/lib/cjs/gr/vat.js')],
  HR: [() => import('stdnum/lib/cjs/hr/oib.js')],
  HU: [() => import('stdnum/lib/cjs/hu/anum.js')],
  IE: [() => import('stdnum/lib/cjs/ie/vat.js')],
  IT: [() => import('stdnum/lib/cjs/it/iva.js')],
  LT: [() => import('stdnum/lib/cjs/lt/pvm.js')],
  LU: [() => import('stdnum/lib/cjs/lu/tva.js')],
  LV: [() => import('stdnum/lib/cjs/lv/pvn.js')],
  MT: [() => import('stdnum/lib/cjs/mt/vat.js')],
  NL: [() => import('stdnum/lib/cjs/nl/btw.js')],
  PL: [() => import('stdnum/lib/cjs/pl/nip.js')],
  PT: [() => import('stdnum/lib/cjs/pt/nif.js')],
  RO: [() => import('stdnum/lib/cjs/ro/cif.js')],
  SE: [() => import('stdnum/lib/cjs/se/vat.js')],
  SI: [() => import('stdnum/lib/cjs/si/ddv.js')],
  SK: [() => import('stdnum/lib/cjs/sk/dph.js')],
  // Elsewhere: where VAT, or the tax like it, has a number of its own, or uses that of the company.
  AU: [() => import('stdnum/lib/cjs/au/abn.js')],
  BR: [() => import('stdnum/lib/cjs/br/cnpj.js')],
  CH: [() => import('stdnum/lib/cjs/ch/vat.js'), () => import('stdnum/lib/cjs/ch/uid.js')],
  GB: [() => import('stdnum/lib/cjs/gb/vat.js')],
  IN: [() => import('stdnum/lib/cjs/in/gstin.js')],
  IS: [() => import('stdnum/lib/cjs/is/vsk.js')],
  KR: [() => import('stdnum/lib/cjs/kr/brn.js')],
  MC: [() => import('stdnum/lib/cjs/mc/tva.js')],
  MX: [() => import('stdnum/lib/cjs/mx/rfc.js')],
  NO: [() => import('stdnum/lib/cjs/no/mva.js'), () => import('stdnum/lib/cjs/no/orgnr.js')],
  NZ: [() => import('stdnum/lib/cjs/nz/ird.js')],
  RS: [() => import('stdnum/lib/cjs/rs/pib.js')],
  TR: [() => import('stdnum/lib/cjs/tr/vkn.js')],
  ZA: [() => import('stdnum/lib/cjs/za/vat.js')],
};

/**
 * Whether a text is a VAT number of the country, with its prefix or without. Blanks, dots and dashes say nothing; for a
 * country without a rule it has to be letters and digits, with a digit among them, since there is no number without.
 */
export async function isVatNumberOf(text: string, iso: string): Promise<boolean> {
  const number = text.replace(/[\s.,/-]/g, '').toUpperCase();
  if (!/^(?=.*\d)[A-Z0-9+*]{2,20}$/.test(number)) return false;
  const known = rules[iso];
  if (known === undefined) return true;
  // In Northern Ireland a British number is written with XI in trade with the European Union.
  const written = iso === 'GB' ? number.replace(/^XI/, 'GB') : number;
  const loaded = await Promise.all(known.map((load) => load()));
  return loaded.some(({ validate }) => validate(written).isValid);
}
