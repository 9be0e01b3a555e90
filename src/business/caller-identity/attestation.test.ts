/** The attestation of each kind of call. */
import { expect, test } from 'vitest';
import { attestationOf, type CallOrigin } from './attestation.ts';

test.each<[string, CallOrigin, string]>([
  ["a customer's call that shows a number of the customer", { kind: 'customer', ownsNumber: true }, 'A'],
  ["a customer's call that shows another number", { kind: 'customer', ownsNumber: false }, 'B'],
  ['a call of our own', { kind: 'house' }, 'A'],
  ['a call that a carrier brought without a signature', { kind: 'elsewhere' }, 'C'],
])('%s', (_, origin, attestation) => {
  expect(attestationOf(origin)).toBe(attestation);
});
