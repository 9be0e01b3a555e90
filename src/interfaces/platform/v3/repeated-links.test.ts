/**
 * A record that is named twice in a to-many relationship: refused where the contract says unique, counted once
 * elsewhere.
 */
import { expect, test } from 'vitest';
import { targetsOf } from '../../../engines/jsonapi/declare.ts';
import { ApiError } from '../../../engines/jsonapi/errors.ts';
import { parseBody } from '../../../engines/jsonapi/parse-body.ts';
import type { Resource } from '../../../engines/jsonapi/resource.ts';
import { newestVersion } from '../versions/versions.ts';
import { resources } from './resources.ts';

const refused = [
  'address_verifications dids',
  'address_verifications onetime_files',
  'emergency_verifications dids',
  'permanent_supporting_documents files',
  'proofs files',
  'shared_capacity_groups dids',
  'voice_out_trunks dids',
  'voice_out_trunks emergency_dids',
];
const countedOnce = ['voice_in_trunk_groups voice_in_trunks'];

const writable = resources.flatMap((resource) =>
  Object.entries(resource.relationships).flatMap(([name, relationship]) =>
    relationship.kind === 'many' && (relationship.create || relationship.update)
      ? [{ name: `${resource.type} ${name}`, resource, relationship: name }]
      : [],
  ),
);

test('every to-many that can be written is decided', () => {
  expect(writable.map(({ name }) => name).sort()).toEqual([...refused, ...countedOnce].sort());
});

const id = '00000000-0000-4000-8000-000000000000';
// The same id, written in another way.
const again = id.toUpperCase();

function problemsOf(resource: Resource, relationship: string, operation: 'create' | 'update') {
  const declared = resource.relationships[relationship];
  if (!declared?.[operation]) return null;
  const [type] = targetsOf(declared);
  const missing = Object.entries(resource.attributes).flatMap(([name, { facts, objectTypes = {} }]) =>
    facts.required && facts.type === 'object' ? [[name, { type: Object.keys(objectTypes)[0], attributes: {} }]] : [],
  );
  const data = {
    type: resource.type,
    ...(operation === 'update' ? { id } : {}),
    attributes: operation === 'create' ? Object.fromEntries(missing) : {},
    relationships: { [relationship]: { data: [id, again].map((each) => ({ type, id: each })) } },
  };
  try {
    parseBody({ apiVersion: newestVersion }, resource, { data }, operation === 'update' ? id : null);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const pointer = `/data/relationships/${relationship}`;
    return error.errors
      .filter(({ source }) => source?.pointer === pointer)
      .map(({ status, detail }) => [status, detail]);
  }
}

test.each(writable)('$name', ({ name, resource, relationship }) => {
  const expected = refused.includes(name) ? [['422', `${relationship} - is invalid`]] : [];
  const answers = (['create', 'update'] as const).map((operation) => problemsOf(resource, relationship, operation));
  expect(answers.filter((problems) => problems !== null).length).toBeGreaterThan(0);
  for (const problems of answers) if (problems) expect(problems).toEqual(expected);
});
