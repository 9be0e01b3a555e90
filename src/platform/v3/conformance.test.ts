import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeType } from '../../../test/support/contract-words.ts';
import { resources } from './resources.ts';

/** What the declarations generate equals the contract, type by type. A user's clone has a copy of it. */
const shared = new URL('../../../../shared/contract/types.json', import.meta.url);
const copy = new URL('../../../test/contract/types.json', import.meta.url);
const contract: { types: Record<string, Record<string, unknown>> } = JSON.parse(
  readFileSync(existsSync(shared) ? shared : copy, 'utf8'),
);

describe('the declarations and the contract', () => {
  test.each(resources.map((resource) => [resource.type, resource] as const))('%s', (type, resource) => {
    expect(normal(describeType(resource))).toEqual(normal(contract.types[type]));
  });

  test('every implemented type is one of the contract', () => {
    const known = Object.keys(contract.types);
    expect(resources.map(({ type }) => type).filter((type) => !known.includes(type))).toEqual([]);
    process.stdout.write(`\n${resources.length} of the contract's ${known.length} types are implemented\n`);
  });
});

/** Lists whose order carries no meaning are sorted. */
function normal(description: Record<string, unknown> | undefined): unknown {
  const { sort, include, ...rest } = description ?? {};
  return { ...rest, sort: sorted(sort), include: sorted(include) };
}

const sorted = (list: unknown): unknown => (Array.isArray(list) ? [...list].sort() : list);
