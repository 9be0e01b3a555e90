/**
 * What a version shows of a record can be sent back in it, all of it or any part, and nothing changes: reading in an
 * older version and writing it again loses nothing that the version can say, nor what only newer ones can. Which parts
 * are sent comes from a printed seed; `ECHO_SEED` repeats one.
 */
import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../../test/support/client.ts';
import { document } from '../../../../test/support/paperwork.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { type WrittenType, writtenTypes } from '../../../../test/support/written-members.ts';
import type { ObjectType } from '../../../engines/jsonapi/facts.ts';
import { newestOf } from '../../../engines/jsonapi/older-form.ts';
import { SeededRandom } from '../../../engines/sip/simulation/seeded-random.fixture.ts';
import type { PlatformResource } from '../declare.ts';
import { registryOf } from '../v3/registries.ts';
import { knownVersions, newestVersion } from './versions.ts';

const seed = Number(process.env.ECHO_SEED ?? randomInt(1_000_000));
const random = new SeededRandom(seed);
const parts = 4;

const server = useOpened(() => startTestServer({ account: { balance: '5000' } }));
/** A record of each type with a value for each member, by its newest name. */
const records = new Map<string, string>();

beforeAll(async () => {
  process.stdout.write(`Parts of records come from ECHO_SEED=${seed}.\n`);
  for (const [type, made] of Object.entries(await writtenTypes(server))) records.set(type, await recordOf(type, made));
});

const client = (version: string): ApiClient => server.client.with({ headers: { 'x-service-api-version': version } });

async function recordOf(type: string, { creates, existing }: WrittenType): Promise<string> {
  const known = await existing?.();
  if (known !== undefined) return known;
  const [write] = await creates();
  const sent = document(type, { ...write?.attributes }, { ...write?.links } as never);
  return (await server.client.post(`/${type}`, sent)).resource.id;
}

type Members = Readonly<Record<string, unknown>>;

/** The members that the version lets a client change, with the values that it shows. */
function sendable({ attributes }: PlatformResource, shown: Members): [name: string, value: unknown][] {
  return Object.entries(shown).flatMap(([name, value]): [string, unknown][] => {
    const attribute = attributes[name];
    if (!attribute?.facts.update || attribute.facts.writeOnly) return [];
    return [[name, attribute.objectTypes ? changeable(attribute.objectTypes, value) : value]];
  });
}

/** Without the members of an object that only the server sets. */
function changeable(types: Readonly<Record<string, ObjectType>>, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('attributes' in value)) return value;
  const { type, attributes } = value as { type: string; attributes: Members };
  const kept = Object.entries(attributes).filter(([name]) => types[type]?.[name]?.update);
  return { type, attributes: Object.fromEntries(kept) };
}

describe.each(knownVersions)('%s', (version) => {
  const types = registryOf(version)
    .all()
    .filter(({ endpoints, stored, path }) => path !== null && stored && endpoints.read && endpoints.update)
    .map((resource) => [resource.type, resource] as const);

  test.each(types)('%s', async (type, resource) => {
    const newest = newestOf(resource).type;
    const id = records.get(newest) ?? '';
    const now = async () => (await client(newestVersion).get(`/${newest}/${id}`)).resource.attributes;
    const before = await now();
    const all = sendable(resource, (await client(version).get(`/${type}/${id}`)).resource.attributes);
    const chosen = Array.from({ length: parts }, () => all.filter(() => random.chance(0.5)));
    for (const part of [all, ...chosen]) {
      const data = { id, type, attributes: Object.fromEntries(part) };
      const { status, text } = await client(version).patch(`/${type}/${id}`, { data });
      expect([part.map(([name]) => name), status, status === 200 || text]).toEqual([expect.anything(), 200, true]);
      expect(await now()).toEqual(before);
    }
  });
});
