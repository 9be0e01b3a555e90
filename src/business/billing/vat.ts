/**
 * The VAT rule. List prices exclude VAT and charges include it. The tax is calculated once, for the price of one unit,
 * and rounded half up: a list price in whole cents is taxed in whole cents, because it appears on an invoice; a list
 * price with more decimals, and everything metered (minutes, verifications, messages), keeps four decimals.
 */

import { type Amount, cent, parseAmount, type Taxed, timesRatio } from '../money/decimal.ts';

/** The setup or monthly price of a number, a channel or a service. */
export function listPrice(net: Amount, vatRate: string): Taxed {
  return taxed(net, vatRate, stepOf(net));
}

/** A metered price: always four decimals. */
export function meteredPrice(net: Amount, vatRate: string): Taxed {
  return taxed(net, vatRate, 1n);
}

/**
 * The price for `days` of a month with `monthDays` days: 25.0 for 24 of 31 days is 19.35 (the contract's check value).
 */
export function partOfMonth(monthly: Taxed, days: number, monthDays: number): Taxed {
  if (days === monthDays) return monthly;
  const step = stepOf(monthly.net);
  return taxed(timesRatio(monthly.net, BigInt(days), BigInt(monthDays), step), monthly.vatRate, step);
}

/** The precision of a list price. */
const stepOf = (net: Amount): Amount => (net % cent === 0n ? cent : 1n);

function taxed(net: Amount, vatRate: string, step: Amount): Taxed {
  // The rate is parsed to ten-thousandths of a percent, so the divisor is 10,000 × 100.
  return { net, vat: timesRatio(net, parseAmount(vatRate), 1_000_000n, step), vatRate };
}
