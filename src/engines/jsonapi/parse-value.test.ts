/** Values of single attributes: what is taken, what is refused. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { networkOf } from './parse-value.ts';

it.each([
  ['192.0.2.1', '192.0.2.1/32'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8:0:0::1', '2001:db8::1/128'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['192.0.2.1/24', null],
  ['2001:db8::1/64', null],
  ['fe80::1%eth0', null],
  ['192.0.2.1/33', null],
  ['192.0.2.1/', null],
  ['192.0.2', null],
  ['x', null],
])('%s is %s', (text, network) => {
  expect(networkOf(text)).toBe(network);
});

it('takes every address for itself, and every way to write it for the same', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const network = networkOf(address);
      expect(network).not.toBeNull();
      expect(networkOf(address.toUpperCase())).toBe(network);
      expect(networkOf(network ?? '')).toBe(network);
    }),
  );
});
