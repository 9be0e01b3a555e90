/** How much seeds may make, by who can reach the sandbox and by what the operator says. */
import { expect, it } from 'vitest';
import { seedLimits } from './reach.ts';
import { readConfig } from './read-config.ts';

const none = { records: 0, accounts: 0 };
const strict = { records: 10_000, accounts: 50 };

it.each([
  ['only this machine can reach the sandbox', {}, none],
  ['it is bound to more than loopback', { TRUNKLINE_HOST: '0.0.0.0' }, strict],
  ['it has a public URL', { TRUNKLINE_SANDBOX_PUBLIC_URL: 'https://sandbox.test' }, strict],
  ['only production has a public URL', { TRUNKLINE_PUBLIC_URL: 'https://api.test' }, none],
  [
    'the operator sets none although strangers reach it',
    { TRUNKLINE_HOST: '0.0.0.0', TRUNKLINE_SANDBOX_SEED_RECORDS: '0', TRUNKLINE_SANDBOX_SEED_ACCOUNTS: '0' },
    none,
  ],
  [
    'the operator sets one of them',
    { TRUNKLINE_HOST: '0.0.0.0', TRUNKLINE_SANDBOX_SEED_ACCOUNTS: '500' },
    { records: 10_000, accounts: 500 },
  ],
])('when %s', (_case, variables, expected) => {
  expect(seedLimits(readConfig(variables))).toEqual(expected);
});
