/** Rates and billed time of calls. */
import { expect, test } from 'vitest';
import { formatTrimmed, parseAmount } from '../money/decimal.ts';
import { amountOf, billedDuration, chargeFor, flatCharge, type Rate, shownRate } from './rates.ts';

const perMinute: Rate = { perMinute: '0.025', connectionFee: '0', initialInterval: 60, nextInterval: 60 };
const perSecond: Rate = { perMinute: '0.0125', connectionFee: '0', initialInterval: 1, nextInterval: 1 };

test.each([
  [1, 60],
  [60, 60],
  [61, 120],
  [121, 180],
])('%i seconds in whole minutes are billed as %i', (seconds, billed) => {
  expect(billedDuration(perMinute, seconds)).toBe(billed);
});

test.each<[Rate, number, string, string]>([
  [perMinute, 1, '0', '0.025'],
  [perMinute, 61, '0', '0.05'],
  [perSecond, 60, '0', '0.0125'],
  [perSecond, 1, '0', '0.0002'],
  [perSecond, 30, '0', '0.0063'],
  [{ ...perSecond, connectionFee: '0.01' }, 60, '0', '0.0225'],
  [perMinute, 240, '21', '0.121'],
  [{ ...perMinute, perMinute: '0.000001' }, 60, '0', '0.0'],
])('%j for %i s with %s %% VAT costs %s', (rate, seconds, vat, amount) => {
  expect(formatTrimmed(parseAmount(amountOf(chargeFor(rate, seconds, vat))))).toBe(amount);
});

test('a call that never connected, or has no rate, costs nothing', () => {
  expect(chargeFor(perMinute, 0, '0')).toBeNull();
  expect(chargeFor(null, 60, '0')).toBeNull();
  expect(amountOf(null)).toBe('0.0000');
});

test('a rate of more than six decimals is refused, trailing zeros are not decimals', () => {
  expect(() => chargeFor({ ...perMinute, perMinute: '0.0000001' }, 60, '0')).toThrow('six decimals');
  expect(amountOf(chargeFor({ ...perMinute, perMinute: '0.02500000' }, 60, '0'))).toBe('0.0250');
});

test.each([
  ['0.600000', '0.6'],
  ['1.000000', '1.0'],
  ['0', '0.0'],
  ['0.012500', '0.0125'],
])('a rate of %s is shown as %s', (stored, shown) => {
  expect(shownRate(stored)).toBe(shown);
});

test('a price for doing something once does not hang on the time, and has its VAT', () => {
  const charge = flatCharge({ ...perMinute, connectionFee: '0.008' }, '25');
  expect([charge?.billedSeconds, amountOf(charge)]).toEqual([0, '0.0100']);
  expect(flatCharge(null, '25')).toBeNull();
});
