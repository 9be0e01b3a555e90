import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTrimmed, parseAmount } from './decimal.ts';
import { prorated, vatWithin, withVat } from './prices.ts';

test('the check value of the contract: 25.0 a month, 24 of 31 days', () => {
  expect(formatTrimmed(prorated(parseAmount('25.0'), 24, 31))).toBe('19.35');
});

test('a whole cycle costs the whole price, whatever its decimals', () => {
  expect(formatTrimmed(prorated(parseAmount('0.1234'), 30, 30))).toBe('0.1234');
});

test.each([
  ['0.8', '0', '0.8'],
  ['0.0125', '0.000', '0.0125'],
  ['10', '21', '12.1'],
  ['0.8', '19', '0.95'],
  ['100', '7.125', '107.13'],
])('%s at %s %% VAT is %s', (price, rate, expected) => {
  expect(formatTrimmed(withVat(parseAmount(price), rate))).toBe(expected);
});

test('the VAT inside a gross amount is never more than the amount and leaves the net price within a cent', () => {
  const prices = fc.bigInt(0n, 10n ** 9n).map((cents) => cents * 100n);
  const rates = fc
    .integer({ min: 0, max: 30_000 })
    .map((n) => `${Math.trunc(n / 1000)}.${String(n % 1000).padStart(3, '0')}`);
  fc.assert(
    fc.property(prices, rates, (price, rate) => {
      const gross = withVat(price, rate);
      const net = gross - vatWithin(gross, rate);
      const off = net > price ? net - price : price - net;
      return off <= 100n;
    }),
  );
});
