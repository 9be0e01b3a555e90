/**
 * One document of every type in every version, in the form in which its values are of no matter, held against the one
 * in `test/contract/shapes`. `npm run shapes` records them anew: whoever changes one says why with the change.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { document } from '../../../../test/support/paperwork.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { writtenTypes } from '../../../../test/support/written-members.ts';
import { isUuid } from '../../../base/uuid.ts';
import { newestOf } from '../../../engines/jsonapi/older-form.ts';
import type { Resource } from '../../../engines/jsonapi/resource.ts';
import { registryOf } from '../v3/registries.ts';
import { knownVersions, newestVersion } from './versions.ts';

const server = useOpened(() => startTestServer({ account: { balance: '1000' } }));
/** A record of each type that customers make, by its newest name. */
const records = new Map<string, string>();

beforeAll(async () => {
  const written = await writtenTypes(server);
  for (const [type, { creates, existing }] of Object.entries(written)) {
    const id = (await existing?.()) ?? (await makeFirst(type, await creates()));
    if (id !== undefined) records.set(type, id);
  }
});

async function makeFirst(
  type: string,
  [write]: Awaited<ReturnType<Awaited<ReturnType<typeof writtenTypes>>[string]['creates']>>,
) {
  if (write === undefined) return undefined;
  const sent = document(type, { ...write.attributes }, { ...write.links } as never);
  return (await server.client.post(`/${type}`, sent)).resource.id;
}

const fileOf = (version: string) => new URL(`../../../../test/contract/shapes/${version}.json`, import.meta.url);

describe.each(knownVersions)('%s', (version) => {
  const shown = registryOf(version)
    .all()
    .filter(({ path, endpoints }) => path !== null && (endpoints.list || endpoints.read));

  test('every type has the members that are recorded', async () => {
    const shapes: Record<string, unknown> = {};
    for (const resource of shown) {
      const words = wordsOf(resource);
      // Lists come in no promised order: of different ones always the same.
      const [shape] = (await recordsOf(version, resource))
        .map((record) => shapeOf(record, words))
        .toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
      expect([resource.type, typeof shape]).toEqual([resource.type, 'object']);
      shapes[resource.type] = shape;
    }
    const text = `${JSON.stringify(shapes, null, 2)}\n`;
    if (process.env.TRUNKLINE_RECORD_SHAPES) await writeFile(fileOf(version), text);
    expect(JSON.parse(await readFile(fileOf(version), 'utf8'))).toEqual(shapes);
  });
});

async function recordsOf(version: string, resource: Resource): Promise<unknown[]> {
  const client = server.client.with({ headers: { 'x-service-api-version': version } });
  const { path, singleton, endpoints } = resource;
  const id = records.get(newestOf(resource).type);
  if (endpoints.read && id !== undefined && (version === newestVersion || !isOnlyOutgoing(resource))) {
    const { status, body } = await client.get(`${path}/${id}`);
    if (status === 200) return [body.data];
  }
  const { body } = await client.get(singleton ? `${path}` : `${path}?page[size]=50`);
  return Array.isArray(body.data) ? body.data : [body.data ?? []].flat();
}

const isOnlyOutgoing = ({ type }: Resource): boolean => type === 'cdr_exports';

/** The words that the version's declaration of the type fixes. */
function wordsOf({ type, attributes, relationships, meta }: Resource): ReadonlySet<string> {
  const facts = Object.values(attributes).flatMap(({ facts, objectTypes = {} }) => [
    facts,
    ...Object.values(objectTypes).flatMap((members) => Object.values(members)),
  ]);
  const words = facts.flatMap((each) => [...(each.enum ?? []), ...(each.items?.enum ?? [])]);
  const objects = Object.values(attributes).flatMap(({ objectTypes = {} }) => Object.keys(objectTypes));
  return new Set([type, ...words.map(String), ...objects, ...Object.keys(relationships), ...Object.keys(meta)]);
}

function shapeOf(value: unknown, words: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    const all = new Map(value.map((each) => [JSON.stringify(shapeOf(each, words)), shapeOf(each, words)]));
    return [...all.values()];
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member, words)]));
  }
  return typeof value === 'string' ? textShape(value, words) : value === null ? null : `(${typeof value})`;
}

function textShape(text: string, words: ReadonlySet<string>): string {
  if (words.has(text)) return text;
  if (isUuid(text)) return '(id)';
  if (text.startsWith(server.url)) {
    return text.slice(server.url.length).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(id)');
  }
  if (/^\d{4}-\d\d-\d\d(T.*Z)?$/.test(text)) return text.includes('T') ? '(time)' : '(day)';
  if (/^-?\d+\.\d+$/.test(text)) return '(amount)';
  return text === '' ? '' : '(text)';
}
