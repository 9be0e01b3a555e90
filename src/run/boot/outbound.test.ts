/** Which addresses outgoing requests may reach, by environment and settings. */
import { expect, test } from 'vitest';
import { readConfig } from '../config/read-config.ts';
import { outboundPolicy } from './environment.ts';

test.each([
  ['sandbox', {}, true],
  ['sandbox', { TRUNKLINE_HOST: 'localhost' }, true],
  ['sandbox', { TRUNKLINE_HOST: '::1' }, true],
  ['sandbox', { TRUNKLINE_PUBLIC_URL: 'https://api.example.test' }, true],
  ['sandbox', { TRUNKLINE_HOST: '0.0.0.0' }, false],
  ['sandbox', { TRUNKLINE_HOST: '10.0.0.7' }, false],
  ['sandbox', { TRUNKLINE_SANDBOX_PUBLIC_URL: 'https://sandbox.example.test' }, false],
  ['sandbox', { TRUNKLINE_TRUSTED_PROXIES: 'loopback' }, false],
  ['production', {}, false],
] as const)('%s with %j may call loopback: %s', (name, variables, allowed) => {
  expect(outboundPolicy(name, readConfig(variables)).allows('127.0.0.1')).toBe(allowed);
});

test('the operator can allow it where strangers reach the sandbox', () => {
  const variables = { TRUNKLINE_TRUSTED_PROXIES: 'loopback', TRUNKLINE_OUTBOUND_ALLOW: '127.0.0.0/8' };
  const policy = outboundPolicy('sandbox', readConfig(variables));
  expect([policy.allows('127.0.0.1'), policy.allows('10.0.0.1')]).toEqual([true, false]);
});
