/** Which accounts may move the clock. */
import { expect, it } from 'vitest';
import { clockMovers } from './reach.ts';
import { readConfig } from './read-config.ts';

it.each([
  ['only this machine can reach the sandbox', {}, 'any'],
  ['it is bound to more than loopback', { TRUNKLINE_HOST: '0.0.0.0' }, 'operator'],
  ['it has a public URL', { TRUNKLINE_SANDBOX_PUBLIC_URL: 'https://sandbox.test' }, 'operator'],
  ['a proxy is trusted', { TRUNKLINE_TRUSTED_PROXIES: 'loopback' }, 'operator'],
  ['only production has a public URL', { TRUNKLINE_PUBLIC_URL: 'https://api.test' }, 'any'],
  ['the operator says any', { TRUNKLINE_HOST: '0.0.0.0', TRUNKLINE_SANDBOX_CLOCK: 'any' }, 'any'],
  ['the operator says operator', { TRUNKLINE_SANDBOX_CLOCK: 'operator' }, 'operator'],
  [
    'the operator names accounts',
    { TRUNKLINE_SANDBOX_CLOCK: 'Acme, ops@b.test' },
    { accounts: ['Acme', 'ops@b.test'] },
  ],
])('who may move the clock when %s', (_case, variables, expected) => {
  expect(clockMovers(readConfig(variables))).toEqual(expected);
});

it('a list without an account is refused', () => {
  expect(() => readConfig({ TRUNKLINE_SANDBOX_CLOCK: ',' })).toThrow(
    'TRUNKLINE_SANDBOX_CLOCK must be "any", "operator" or a list of accounts.',
  );
});
