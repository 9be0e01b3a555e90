/**
 * The one VAT rule. List prices exclude VAT and charges include it; the tax is worked out once for the price of one unit, rounded
 * half up to the decimals that the price has:
 *
 * - a list price in whole cents is taxed in whole cents, since it appears on an invoice;
 * - a list price with more decimals, and whatever is metered (minutes, verifications, messages), keeps four.
 */
import { type Amount, cent, parseAmount, timesRatio } from '../money/decimal.ts';
import type { Taxed } from '../money/taxed.ts';

/** The price of a number, a channel or a service, per setup or month. */
export function listPrice(net: Amount, vatRate: string): Taxed {
  return taxed(net, vatRate, stepOf(net));
}

/** The price of something that is metered: four decimals whatever its value. */
export function meteredPrice(net: Amount, vatRate: string): Taxed {
  return taxed(net, vatRate, 1n);
}

/** `days` of a month that has `monthDays`: 25.0 for 24 of 31 days is 19.35 (the contract's check value). */
export function partOfMonth(monthly: Taxed, days: number, monthDays: number): Taxed {
  if (days === monthDays) return monthly;
  const step = stepOf(monthly.net);
  return taxed(timesRatio(monthly.net, BigInt(days), BigInt(monthDays), step), monthly.vatRate, step);
}

/** The finest digit of a list price. */
const stepOf = (net: Amount): Amount => (net % cent === 0n ? cent : 1n);

function taxed(net: Amount, vatRate: string, step: Amount): Taxed {
  // A rate has three decimals of a percent: whole ten-thousandths over a hundred times that.
  return { net, vat: timesRatio(net, parseAmount(vatRate), 1_000_000n, step), vatRate };
}
