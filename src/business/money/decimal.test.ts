/** Amounts as text and as whole units. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cent, formatCents, formatTrimmed, parseAmount, timesRatio, toSql } from './decimal.ts';

test.each([
  ['0', '0.0', '0.00'],
  ['0.19', '0.19', '0.19'],
  ['5.9800', '5.98', '5.98'],
  ['25', '25.0', '25.00'],
  ['1000.50', '1000.5', '1000.50'],
  ['0.0125', '0.0125', '0.01'],
  ['1.995', '1.995', '2.00'],
  ['-0.5', '-0.5', '-0.50'],
  ['-1.995', '-1.995', '-2.00'],
  ['999999999999.9999', '999999999999.9999', '1000000000000.00'],
])('%s is written %s in orders and %s in a balance', (text, trimmed, cents) => {
  expect(formatTrimmed(parseAmount(text))).toBe(trimmed);
  expect(formatCents(parseAmount(text))).toBe(cents);
});

test.each(['', '1.', '.5', '1,5', '1e3', '0.00001', 'NaN', '+1', ' 1'])('%j is not an amount', (text) => {
  expect(() => parseAmount(text)).toThrow('is not an amount');
});

test('an amount survives the way to the database and back', () => {
  fc.assert(fc.property(fc.bigInt(-(10n ** 17n), 10n ** 17n), (amount) => parseAmount(toSql(amount)) === amount));
});

test('a ratio is rounded half away from zero to whole steps', () => {
  const ratio = (text: string, top: bigint, bottom: bigint, step = cent) =>
    formatTrimmed(timesRatio(parseAmount(text), top, bottom, step));
  expect(ratio('25', 24n, 31n)).toBe('19.35');
  expect(ratio('0.01', 1n, 2n)).toBe('0.01');
  expect(ratio('-0.01', 1n, 2n)).toBe('-0.01');
  expect(ratio('0.01', 49n, 100n)).toBe('0.0');
  expect(ratio('0.0125', 1n, 2n, 1n)).toBe('0.0063');
});
