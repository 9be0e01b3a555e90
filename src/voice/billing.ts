/** What minutes cost: intervals, per-minute rates and VAT, without floats. */
import { type Amount, parseAmount, toSql } from '../money/decimal.ts';

/** A price per minute. The first interval is always paid whole, then every begun further one. */
export interface Rate {
  /** Per minute, VAT excluded; at most six decimals. */
  perMinute: string;
  connectionFee: string;
  initialInterval: number;
  nextInterval: number;
}

export interface Charge {
  rate: Rate;
  billedSeconds: number;
  amountWithoutVat: Amount;
  amount: Amount;
}

/** Null for a call that never connected: an unanswered one costs nothing. */
export function chargeFor(rate: Rate | null, seconds: number, vatRate: string): Charge | null {
  if (rate === null || seconds === 0) return null;
  const billedSeconds = billedDuration(rate, seconds);
  const fee = parseAmount(rate.connectionFee) * 6000n;
  // Millionths per minute times seconds, over sixty, in ten-thousandths: one division at the end, rounded half up.
  const amountWithoutVat = halfUp(fee + millionths(rate.perMinute) * BigInt(billedSeconds), 6000n);
  return { rate, billedSeconds, amountWithoutVat, amount: withVat(amountWithoutVat, vatRate) };
}

/** A price for doing something once, however long the call lasts: the connection fee. */
export function flatCharge(rate: Rate | null, vatRate: string): Charge | null {
  if (rate === null) return null;
  const amountWithoutVat = parseAmount(rate.connectionFee);
  return { rate, billedSeconds: 0, amountWithoutVat, amount: withVat(amountWithoutVat, vatRate) };
}

export function billedDuration(rate: Pick<Rate, 'initialInterval' | 'nextInterval'>, seconds: number): number {
  if (seconds <= rate.initialInterval) return rate.initialInterval;
  return rate.initialInterval + Math.ceil((seconds - rate.initialInterval) / rate.nextInterval) * rate.nextInterval;
}

/** As answers and events show money: trailing zeros trimmed, at least one decimal. */
export function shownRate(text: string): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.replace(/0+$/, '') || '0'}`;
}

/** As the numeric columns of a CDR take it. */
export const amountOf = (charge: Charge | null): string => toSql(charge?.amount ?? 0n);

const withVat = (amount: Amount, vatRate: string): Amount =>
  amount + halfUp(amount * (parseAmount(vatRate) / 10n), 100_000n);

function halfUp(top: bigint, bottom: bigint): bigint {
  return (top * 2n + bottom) / (bottom * 2n);
}

function millionths(text: string): bigint {
  const parts = /^(\d+)(?:\.(\d{1,6})0*)?$/.exec(text);
  if (!parts) throw new Error(`"${text}" is not a rate with at most six decimals`);
  return BigInt(parts[1] ?? '0') * 1_000_000n + BigInt((parts[2] ?? '').padEnd(6, '0'));
}
