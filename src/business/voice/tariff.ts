/**
 * What a call costs from second to second, as it will be charged at its end: the sum of its rates in their own billing
 * intervals, and what is charged once. Pure.
 */
import { type Amount, grossOf } from '../money/decimal.ts';
import { chargeFor, flatCharge, type Rate } from './rates.ts';

export interface Tariff {
  /** Charged per minute. */
  readonly rates: readonly Rate[];
  /** Charged once, answered or not: of these only the connection fee. */
  readonly flat: readonly Rate[];
  readonly vatRate: string;
}

/** Maximum duration of a call: a call whose two legs have vanished must not hold its channel for ever. */
export const longestCallSeconds = 24 * 3_600;

/** VAT included; 0 seconds are those of a call that was not answered. */
export function costAfter({ rates, flat, vatRate }: Tariff, seconds: number): Amount {
  const charges = [
    ...rates.map((rate) => chargeFor(rate, seconds, vatRate)),
    ...flat.map((rate) => flatCharge(rate, vatRate)),
  ];
  return charges.reduce((sum, charge) => sum + (charge === null ? 0n : grossOf(charge.price)), 0n);
}

/** Whether the call costs nothing, however long it is. */
export const isFree = (tariff: Tariff): boolean => costAfter(tariff, longestCallSeconds) === 0n;

/** For how many whole seconds this amount is enough. */
export function secondsFor(tariff: Tariff, amount: Amount): number {
  let [covered, tooLong] = [0, longestCallSeconds + 1];
  while (tooLong - covered > 1) {
    const middle = (covered + tooLong) >> 1;
    if (costAfter(tariff, middle) <= amount) covered = middle;
    else tooLong = middle;
  }
  return covered;
}
