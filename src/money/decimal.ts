/** Amounts without floats: ten-thousandths in a bigint, decimal strings at the edges, half-up rounding. */
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
