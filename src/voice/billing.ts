/** Prices calls: billing intervals and per-minute rates, in integer arithmetic. */
import { meteredPrice } from '../billing/vat.ts';
import { parseAmount, timesRatio, toSql } from '../money/decimal.ts';
import { grossOf, type Taxed } from '../money/taxed.ts';

/** A price per minute. The first interval is always charged in full, then every further interval that has begun. */
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
  price: Taxed;
}

/** Returns null for a call that never connected: it costs nothing. */
export function chargeFor(rate: Rate | null, seconds: number, vatRate: string): Charge | null {
  if (rate === null || seconds === 0) return null;
  const billedSeconds = billedDuration(rate, seconds);
  const fee = parseAmount(rate.connectionFee) * 6000n;
  // The sum is in millionths × 60; one division by 6000 brings it to ten-thousandths, rounded half up.
  const net = timesRatio(fee + millionths(rate.perMinute) * BigInt(billedSeconds), 1n, 6000n, 1n);
  return { rate, billedSeconds, price: meteredPrice(net, vatRate) };
}

/** Charges only the connection fee: a fixed price that does not depend on the duration. */
export function flatCharge(rate: Rate | null, vatRate: string): Charge | null {
  if (rate === null) return null;
  return { rate, billedSeconds: 0, price: meteredPrice(parseAmount(rate.connectionFee), vatRate) };
}

export function billedDuration(rate: Pick<Rate, 'initialInterval' | 'nextInterval'>, seconds: number): number {
  if (seconds <= rate.initialInterval) return rate.initialInterval;
  return rate.initialInterval + Math.ceil((seconds - rate.initialInterval) / rate.nextInterval) * rate.nextInterval;
}

/** Formats a rate for responses and events: trailing zeros trimmed, at least one decimal. */
export function shownRate(text: string): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.replace(/0+$/, '') || '0'}`;
}

/** The gross amount as text for a numeric column of a CDR. */
export const amountOf = (charge: Charge | null): string => toSql(charge === null ? 0n : grossOf(charge.price));

function millionths(text: string): bigint {
  const parts = /^(\d+)(?:\.(\d{1,6})0*)?$/.exec(text);
  if (!parts) throw new Error(`"${text}" is not a rate with at most six decimals`);
  return BigInt(parts[1] ?? '0') * 1_000_000n + BigInt((parts[2] ?? '').padEnd(6, '0'));
}
