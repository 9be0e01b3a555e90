/** The declarations are those of the contract. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeType } from '../../../../test/support/contract-words.ts';
import { resources } from './resources.ts';

/** What the declarations generate equals the contract, type by type. */
const file = new URL('../../../../test/contract/types.json', import.meta.url);
const contract: { types: Record<string, Record<string, unknown>> } = JSON.parse(readFileSync(file, 'utf8'));

/** What a ruling has changed since the file was written: long pages. */
const rulings: Readonly<Record<string, object>> = {
  cities: { page_max: 1_000 },
  areas: { page_max: 1_000 },
  voice_out_trunks: { page_max: 1_000 },
};

/** What the contract says about a type that is not in its declaration; the tests of these types check it. */
const otherFacts: Readonly<Record<string, object>> = {
  did_history: { max_age_days: 90 },
  exports: { download: { path: '/exports/{filename}.csv.gz', status: 200, media_type: 'application/gzip' } },
  encrypted_files: {
    upload: {
      request_media_type: 'multipart/form-data',
      response_media_type: 'application/json',
      parts: {
        'encrypted_files[file]': { required: true, max_bytes: 20 * 1024 * 1024 },
        'encrypted_files[encryption_fingerprint]': { required: true, pattern: '^[0-9a-f]{40}:::[0-9a-f]{40}$' },
        'encrypted_files[description]': { required: false },
      },
    },
  },
};

describe('the declarations and the contract', () => {
  test.each(resources.map((resource) => [resource.type, resource] as const))('%s', (type, resource) => {
    expect(normal({ ...describeType(resource), ...otherFacts[type] })).toEqual(
      normal({ ...contract.types[type], ...rulings[type] }),
    );
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
