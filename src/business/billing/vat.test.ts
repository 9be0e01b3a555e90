/** One VAT rule and parts of a month, against the check values of the contract. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTrimmed, grossOf, parseAmount, times } from '../money/decimal.ts';
import { listPrice, meteredPrice, partOfMonth } from './vat.ts';

test('the check value of the contract: 25.0 a month, 24 of 31 days', () => {
  expect(formatTrimmed(grossOf(partOfMonth(listPrice(parseAmount('25.0'), '0'), 24, 31)))).toBe('19.35');
});

test('a whole month costs the whole price, whatever its decimals', () => {
  expect(formatTrimmed(grossOf(partOfMonth(listPrice(parseAmount('0.1234'), '0'), 30, 30)))).toBe('0.1234');
});

test.each([
  ['0.8', '0', '0.8', '0.0'],
  ['0.0125', '0.000', '0.0125', '0.0'],
  ['10', '21', '12.1', '2.1'],
  ['0.8', '19', '0.95', '0.15'],
  ['100', '7.125', '107.13', '7.13'],
  ['0.0125', '21', '0.0151', '0.0026'],
  ['1.999', '21.000', '2.4188', '0.4198'],
])('a list price of %s at %s %% VAT is %s, of which %s is tax', (price, rate, gross, vat) => {
  const taxed = listPrice(parseAmount(price), rate);
  expect([formatTrimmed(grossOf(taxed)), formatTrimmed(taxed.vat)]).toEqual([gross, vat]);
});

test('what is metered keeps four decimals: a thousand minutes at 0.02 and 21 % carry 4.20 of tax', () => {
  expect(formatTrimmed(times(meteredPrice(parseAmount('0.02'), '21'), 1000).vat)).toBe('4.2');
});

test.each([
  ['2', '21', 10, 30, '0.67', '0.14'],
  ['2.0001', '21', 10, 30, '0.6667', '0.14'],
])('%s a month at %s %%: %i of %i days are %s plus %s', (monthly, rate, days, monthDays, net, vat) => {
  const part = partOfMonth(listPrice(parseAmount(monthly), rate), days, monthDays);
  expect([formatTrimmed(part.net), formatTrimmed(part.vat)]).toEqual([net, vat]);
});

test('tax is within half a step of the exact tax, and a part of a month never more than the month', () => {
  const rates = fc
    .integer({ min: 0, max: 30_000 })
    .map((n) => `${Math.trunc(n / 1000)}.${String(n % 1000).padStart(3, '0')}`);
  const days = fc.tuple(fc.integer({ min: 0, max: 31 }), fc.integer({ min: 28, max: 31 }));
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 11n), rates, days, (net, rate, [wanted, monthDays]) => {
      const price = listPrice(net, rate);
      const step = net % 100n === 0n ? 100n : 1n;
      const exact = net * parseAmount(rate);
      const off = price.vat * 1_000_000n - exact;
      const part = partOfMonth(price, Math.min(wanted, monthDays), monthDays);
      return (off < 0n ? -off : off) * 2n <= step * 1_000_000n && part.net <= price.net && part.vat <= price.vat;
    }),
  );
});
