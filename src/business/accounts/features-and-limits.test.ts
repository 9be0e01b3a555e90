/** Features and limits of an account: defaults, changes, refusals. */
import { expect, it } from 'vitest';
import { checkFeatures, checkLimits, readFeatures, readLimits } from './features-and-limits.ts';

it('has every feature on by default, and off when switched off', () => {
  expect(Object.values(readFeatures({})).every(Boolean)).toBe(true);
  expect(readFeatures({ emergency: false })).toMatchObject({ emergency: false, outbound: true });
});

it('has the limits of the contract by default', () => {
  expect(readLimits({})).toEqual({
    reservations: 10,
    reservation_seconds: 600,
    max_page_size: 100,
    sandbox_order_seconds: null,
  });
  expect(readLimits({ reservations: 3 }).reservations).toBe(3);
});

it('refuses names and values that mean nothing', () => {
  expect(() => checkFeatures({ teleport: true })).toThrow('no feature "teleport"');
  for (const value of ['no', 0, null, {}])
    expect(() => checkFeatures({ tls: value })).toThrow('The feature tls is true or false.');
  expect(() => checkLimits({ wishes: 3 })).toThrow('no limit "wishes"');
  expect(() => checkLimits({ max_page_size: 99 })).toThrow('whole number from 100 to 10000');
  expect(() => checkLimits({ reservations: 1.5 })).toThrow('whole number');
  expect(checkLimits({ reservations: 0 })).toEqual({ reservations: 0 });
});
