/**
 * What VAT services for a customer carry, by Directive 2006/112: by the countries of seller and customer, and by
 * whether the customer has a VAT id. The first rule that fits decides.
 */

type TaxTreatment = 'domestic' | 'reverse_charge' | 'eu_consumer' | 'outside_eu';

export interface TaxRule {
  readonly treatment: TaxTreatment;
  readonly customer: 'in the country of the seller' | 'in the EU' | 'elsewhere';
  /** Null: it does not matter. */
  readonly hasVatId: boolean | null;
  /** Whose standard rate; null is no tax. */
  readonly rateOf: 'seller' | 'customer' | null;
  /** What the invoice says where no tax is charged. */
  readonly note: string | null;
}

const taxRules: readonly TaxRule[] = [
  {
    ...{ treatment: 'domestic', customer: 'in the country of the seller', hasVatId: null },
    ...{ rateOf: 'seller', note: null },
  },
  {
    ...{ treatment: 'reverse_charge', customer: 'in the EU', hasVatId: true, rateOf: null },
    note: 'Reverse charge: the customer owes the VAT (Articles 44 and 196 of Directive 2006/112/EC).',
  },
  { treatment: 'eu_consumer', customer: 'in the EU', hasVatId: false, rateOf: 'customer', note: null },
  {
    ...{ treatment: 'outside_eu', customer: 'elsewhere', hasVatId: null, rateOf: null },
    note: 'Not subject to VAT: the place of supply is the country of the customer.',
  },
];

/** Standard rates in percent, as of 2026: the member states of the EU, and countries where a seller may be. */
const standardRates = {
  ...{ AT: '20', BE: '21', BG: '20', CY: '19', CZ: '21', DE: '19', DK: '25', EE: '24', ES: '21', FI: '25.5' },
  ...{ FR: '20', GR: '24', HR: '25', HU: '27', IE: '23', IT: '22', LT: '21', LU: '17', LV: '21', MT: '18' },
  ...{ NL: '21', PL: '23', PT: '23', RO: '21', SE: '25', SI: '22', SK: '23' },
} as const;
const ratesElsewhere = { CH: '8.1', GB: '20', IS: '24', LI: '8.1', NO: '25' } as const;

const rates: Readonly<Record<string, string>> = { ...standardRates, ...ratesElsewhere };

/** Monaco belongs to France for VAT. */
const taxedAs = (country: string): string => (country === 'MC' ? 'FR' : country);

const isInEu = (country: string): boolean => Object.hasOwn(standardRates, taxedAs(country));

interface TaxedParty {
  country: string;
  vat_id: string | null;
}

export function taxRuleFor(sellerCountry: string, { country, vat_id }: TaxedParty): TaxRule {
  const place = taxedAs(country) === taxedAs(sellerCountry) ? 'in the country of the seller' : placeOf(country);
  const rule = taxRules.find(
    ({ customer, hasVatId }) => customer === place && (hasVatId ?? vat_id !== null) === (vat_id !== null),
  );
  if (rule === undefined) throw new Error(`no tax rule for a customer ${place}`);
  return rule;
}

const placeOf = (country: string) => (isInEu(country) ? 'in the EU' : 'elsewhere');

/** In percent; null if this file does not know the rate of the country. */
export function taxRateFor(sellerCountry: string, customer: TaxedParty): string | null {
  const { rateOf } = taxRuleFor(sellerCountry, customer);
  if (rateOf === null) return '0';
  return rates[taxedAs(rateOf === 'seller' ? sellerCountry : customer.country)] ?? null;
}
