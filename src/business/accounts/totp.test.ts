/** Codes of authenticator apps, against the vectors of RFC 6238. */
import { expect, test } from 'vitest';
import { matchingStep, newTotpSecret, stepAt, totpCode } from './totp.ts';

/** The secret of RFC 6238's test vectors, `12345678901234567890`. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('at %i seconds the code is the one of RFC 6238: %s', (seconds, code) => {
  expect(totpCode(secret, stepAt(new Date(seconds * 1000)))).toBe(code);
});

test('a code works one step early or late, and once', () => {
  const now = new Date('2026-06-15T12:00:00Z');
  const step = stepAt(now);
  expect([-2, -1, 0, 1, 2].map((away) => matchingStep(secret, totpCode(secret, step + away), now, 0))).toEqual([
    null,
    step - 1,
    step,
    step + 1,
    null,
  ]);
  expect(matchingStep(secret, totpCode(secret, step), now, step)).toBeNull();
  expect(matchingStep(secret, '12345', now, 0)).toBeNull();
  const [three, rest] = [totpCode(secret, step).slice(0, 3), totpCode(secret, step).slice(3)];
  expect(matchingStep(secret, `${three} ${rest}`, now, 0)).toBe(step);
});

test('secrets are new, and long enough', () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(newTotpSecret());
});
