/** From which addresses an API key or a session may be used. */
import { describe, expect, it } from 'vitest';
import { allowList, checkAllowedIps, isAllowed } from './allowed-ips.ts';

describe('allowed addresses', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.99/24', '192.0.2.1', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:DB8::1', '2001:db8:0:0:0:0:0:1', true],
    ['192.0.2.0/24', '::ffff:192.0.2.9', true],
    ['192.0.2.0/24', '::ffff:c000:0209', true],
    ['192.0.2.0/24', '::ffff:198.51.100.1', false],
    ['::ffff:192.0.2.0/120', '192.0.2.200', true],
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['::ffff:192.0.2.7', '192.0.2.8', false],
    ['fe80::1', 'fe80::1%eth0', true],
    ['0.0.0.0/0', '203.0.113.5', true],
    ['::/0', '2001:db8::9', true],
    ['192.0.2.0/24', 'not an address', false],
    ['192.0.2.0/24', '', false],
  ])('%s and a request from %s: %s', (entry, remote, allowed) => {
    expect(isAllowed(allowList(checkAllowedIps([entry])), remote)).toBe(allowed);
  });

  it('is everywhere when no address is named', () => {
    expect(isAllowed(allowList([]), '203.0.113.5')).toBe(true);
  });

  it('is any of several', () => {
    const list = allowList(['192.0.2.1/32', '2001:db8::/32']);
    expect(['192.0.2.1', '2001:db8::5', '192.0.2.2'].map((ip) => isAllowed(list, ip))).toEqual([true, true, false]);
  });

  it.each([
    '',
    'localhost',
    '192.0.2',
    '192.0.2.0/33',
    '2001:db8::/129',
    '192.0.2.0/',
    '192.0.2.0/24/1',
    '::ffff:1.2.3.4/90',
    '192.0.2.0/-1',
  ])('refuses "%s"', (entry) => {
    expect(() => checkAllowedIps([entry])).toThrow('is not an IP address or network');
  });
});
