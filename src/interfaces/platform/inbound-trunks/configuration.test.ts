/** The configurations of trunks have the contract's members. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeFacts } from '../../../../test/support/contract-words.ts';
import { authenticationMethods } from '../outbound-trunks/authentication.ts';
import { configurations, formerUntil } from './sip-configuration.ts';

const copy = new URL('../../../../test/contract/types.json', import.meta.url);
const contract: Record<string, { attributes: unknown }> = JSON.parse(readFileSync(copy, 'utf8')).objects;

const objectTypes = Object.entries({ ...configurations, ...authenticationMethods }).filter(
  ([name]) => !Object.hasOwn(formerUntil, name),
);

test.each(objectTypes)('%s has the contract’s members', (name, type) => {
  const described = Object.fromEntries(Object.entries(type).map(([member, facts]) => [member, describeFacts(facts)]));
  expect(described).toEqual(contract[name]?.attributes);
});
