/** What a call costs from second to second, and how long an amount lasts. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { costAfter, isFree, longestCallSeconds, secondsFor, type Tariff } from './tariff.ts';

const rate = fc.record({
  perMinute: fc.integer({ min: 0, max: 5_000_000 }).map((millionths) => (millionths / 1e6).toFixed(6)),
  connectionFee: fc.integer({ min: 0, max: 500 }).map((units) => (units / 1e4).toFixed(4)),
  initialInterval: fc.integer({ min: 1, max: 120 }),
  nextInterval: fc.integer({ min: 1, max: 120 }),
});
const anyTariff: fc.Arbitrary<Tariff> = fc.record({
  rates: fc.array(rate, { maxLength: 3 }),
  flat: fc.array(rate, { maxLength: 1 }),
  vatRate: fc.constantFrom('0', '19.000', '25.000'),
});

test('an amount lasts exactly until the next second would cost more', () => {
  fc.assert(
    fc.property(anyTariff, fc.bigInt({ min: 0n, max: 1_000_000n }), (tariff, amount) => {
      const seconds = secondsFor(tariff, amount);
      if (seconds > 0) expect(costAfter(tariff, seconds)).toBeLessThanOrEqual(amount);
      if (seconds < longestCallSeconds) expect(costAfter(tariff, seconds + 1)).toBeGreaterThan(amount);
    }),
  );
});

test('a call without rates, or with rates of nothing, is free', () => {
  const nothing = { perMinute: '0', connectionFee: '0', initialInterval: 60, nextInterval: 60 };
  expect(isFree({ rates: [], flat: [], vatRate: '0' })).toBe(true);
  expect(isFree({ rates: [nothing], flat: [nothing], vatRate: '19.000' })).toBe(true);
  expect(isFree({ rates: [], flat: [{ ...nothing, connectionFee: '0.0001' }], vatRate: '0' })).toBe(false);
});
