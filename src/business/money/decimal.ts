/**
 * Amounts without floats: ten-thousandths in a bigint, decimal strings at the edges, half-up rounding. A price is split
 * into net and tax once, where it is created (`src/business/billing/vat.ts`); from there to the ledger both parts stay
 * together, so that the booked tax is the charged tax.
 */
export type Amount = bigint;

const scale = 4;
const unit = 10n ** BigInt(scale);

/** One hundredth: the precision of prices in whole cents. */
export const cent: Amount = unit / 100n;

export function parseAmount(text: string): Amount {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  const fraction = parts?.[3]?.replace(/0+$/, '') ?? '';
  if (!parts || fraction.length > scale) throw new Error(`"${text}" is not an amount with at most ${scale} decimals`);
  const units = BigInt(parts[2] ?? '0') * unit + BigInt(fraction.padEnd(scale, '0'));
  return parts[1] === '-' ? -units : units;
}

/** Formats for PostgreSQL's numeric, with all four decimals. */
export function toSql(amount: Amount): string {
  return formatDecimal(amount, scale, scale);
}

/** Money in SKUs, orders and pools: trailing zeros trimmed but at least one decimal (`"0.0"`, `"25.0"`, `"19.35"`). */
export function formatTrimmed(amount: Amount): string {
  return formatDecimal(amount, scale, 1);
}

/** Money in a balance: exactly two decimals (`"50.00"`). */
export function formatCents(amount: Amount): string {
  return formatDecimal(timesRatio(amount, 1n, 1n, cent), 2, 2);
}

/** `amount × numerator ÷ denominator`, rounded half away from zero to a multiple of `step`. */
export function timesRatio(amount: Amount, numerator: bigint, denominator: bigint, step: Amount): Amount {
  const [top, bottom] = [amount * numerator, denominator * step];
  const magnitude = ((top < 0n ? -top : top) * 2n + bottom) / (bottom * 2n);
  return (top < 0n ? -magnitude : magnitude) * step;
}

function formatDecimal(amount: Amount, decimals: number, leastDecimals: number): string {
  const magnitude = amount < 0n ? -amount : amount;
  const fraction = (magnitude % unit).toString().padStart(scale, '0').slice(0, decimals);
  const trimmed = fraction.replace(/0+$/, '').padEnd(leastDecimals, '0');
  return `${amount < 0n ? '-' : ''}${magnitude / unit}.${trimmed}`;
}

export interface Taxed {
  /** The amount without tax. */
  readonly net: Amount;
  readonly vat: Amount;
  /** In percent, as the database formats it: `21.000`. */
  readonly vatRate: string;
}

/** The amount that the customer pays. */
export const grossOf = ({ net, vat }: Taxed): Amount => net + vat;

export const free = (vatRate: string): Taxed => ({ net: 0n, vat: 0n, vatRate });

export function times(price: Taxed, qty: number): Taxed {
  return { ...price, net: price.net * BigInt(qty), vat: price.vat * BigInt(qty) };
}

export function plus(one: Taxed, other: Taxed): Taxed {
  return { ...sameRate(one, other), net: one.net + other.net, vat: one.vat + other.vat };
}

export function minus(one: Taxed, other: Taxed): Taxed {
  return { ...sameRate(one, other), net: one.net - other.net, vat: one.vat - other.vat };
}

/** Amounts can be added only if they have the same rate, because a booking has one rate. */
function sameRate(one: Taxed, other: Taxed): Taxed {
  if (Number(one.vatRate) !== Number(other.vatRate)) throw new Error('amounts of two VAT rates in one sum');
  return one;
}
