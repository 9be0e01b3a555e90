/** Which addresses customers and operators may have called, by environment. */
import { expect, test } from 'vitest';
import { addressPolicy } from '../../engines/outbound/address-policy.ts';
import { dialPolicy } from './dial-policy.ts';

const everything = addressPolicy({ allowEverything: true, allowedRanges: [] });
const publicOnly = addressPolicy({ allowEverything: false, allowedRanges: ['10.1.0.0/16'] });

test.each([
  ['sandbox', everything, 'customer', '127.0.0.1', true],
  ['sandbox', everything, 'customer', '192.168.1.5', true],
  ['sandbox', everything, 'customer', '8.8.8.8', false],
  ['sandbox', everything, 'operator', '8.8.8.8', false],
  ['sandbox', everything, 'customer', '2606:4700::1111', false],
  ['sandbox', publicOnly, 'customer', '127.0.0.1', false],
  ['sandbox', publicOnly, 'customer', '10.1.2.3', true],
  ['sandbox', publicOnly, 'operator', '127.0.0.1', true],
  ['production', publicOnly, 'customer', '8.8.8.8', true],
  ['production', publicOnly, 'customer', '127.0.0.1', false],
  ['production', publicOnly, 'operator', '127.0.0.1', true],
] as const)('%s, %o: a %s may name %s: %s', (name, customers, owner, address, allowed) => {
  expect(dialPolicy(name, customers).allows(address, owner)).toBe(allowed);
});
