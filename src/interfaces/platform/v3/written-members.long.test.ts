/**
 * Whatever a customer can write is stored: each member of each type is written, when a record is created and when it is
 * changed, and read back.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../../test/support/client.ts';
import { document } from '../../../../test/support/paperwork.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { type Write, type WrittenType, writtenOnly, writtenTypes } from '../../../../test/support/written-members.ts';
import type { PlatformResource } from '../declare.ts';
import { knownVersions, newestVersion } from '../versions/versions.ts';
import { registry } from './registries.ts';

type Operation = 'create' | 'update';

const server = useOpened(() => startTestServer({ account: { balance: '1000' } }));
let written: Readonly<Record<string, WrittenType>>;
beforeAll(async () => {
  written = await writtenTypes(server);
});

/** Routes of the product's own are tried by tests of their own (`upload-file.long.test.ts`). */
const writes = (resource: PlatformResource, operation: Operation) =>
  resource.stored && resource.endpoints[operation] && !(resource.ownRoutes ?? []).includes(operation);
const types = registry.all().filter((resource) => writes(resource, 'create') || writes(resource, 'update'));

/** The declared members of an operation. What can only be detached has to be attached by somebody else first. */
function declared({ attributes, relationships }: PlatformResource, operation: Operation): string[] {
  const links = Object.entries(relationships).filter(([, link]) => link[operation] && !link.nullOnly);
  const values = Object.entries(attributes).filter(([, { facts }]) => facts[operation]);
  return [...values, ...links].map(([name]) => name).sort();
}

const membersOf = ({ attributes, links = {} }: Write) => [...Object.keys(attributes), ...Object.keys(links)];

test('there is a value for each of them', async () => {
  for (const resource of types) {
    for (const operation of ['create', 'update'] as const) {
      if (!writes(resource, operation)) continue;
      const sent = new Set((await writesOf(resource.type, operation)).flatMap(membersOf));
      expect([resource.type, operation, [...sent].sort()]).toEqual([
        resource.type,
        operation,
        declared(resource, operation),
      ]);
    }
  }
});

test('what no response shows is written only, and has a test of its own', () => {
  const hidden = types.map(({ type, attributes, relationships }) => [
    type,
    [
      ...Object.entries(attributes).filter(([, { facts }]) => facts.writeOnly),
      ...Object.entries(relationships).filter(([, { writeOnly }]) => writeOnly),
    ].map(([name]) => name),
  ]);
  const tested = types.map(({ type }) => [type, Object.keys(writtenOnly[type] ?? {})]);
  expect(tested).toEqual(hidden);
  for (const [name, file] of Object.values(writtenOnly).flatMap(Object.entries)) {
    expect(readFileSync(file, 'utf8')).toContain(name);
  }
});

describe.each(knownVersions)('in version %s', (version) => {
  const exists = ({ type }: PlatformResource, operation: Operation) =>
    version === newestVersion || !laterWrites.includes(`${operation} ${type}`);
  const each = (operation: Operation) =>
    types
      .filter((resource) => writes(resource, operation) && exists(resource, operation))
      .map((resource) => [resource.type, resource] as const);

  test.each(each('create'))('%s: what a new record was given is there', async (type, resource) => {
    for (const write of await writesOf(type, 'create')) {
      const sent = inVersion(version, type, write);
      const response = await client(version).post(`/${type}`, bodyOf(type, sent));
      expect([response.status, response.status === 201 || response.text]).toEqual([201, true]);
      await expectStored(resource, response.resource.id, sent);
    }
  });

  test.each(each('update'))('%s: what was changed is there', async (type, resource) => {
    const id = await someRecord(type);
    for (const write of await writesOf(type, 'update')) {
      const sent = inVersion(version, type, write);
      const { data } = bodyOf(type, sent);
      const { status, text } = await client(version).patch(`/${type}/${id}`, { data: { ...data, id } });
      expect([status, status === 200 || text]).toEqual([200, true]);
      await expectStored(resource, id, sent);
    }
  });
});

/**
 * Writes and members that came with the newest version; an older one answers that it does not know them
 * (`versions.test.ts`).
 */
const laterWrites = ['orders', 'exports', 'address_verifications', 'emergency_verifications']
  .map((type) => `update ${type}`)
  .concat('create emergency_verifications');
const laterMembers: Readonly<Record<string, readonly string[]>> = {
  voice_out_trunks: ['external_reference_id', 'rtp_timeout', 'emergency_enable_all', 'emergency_dids'],
};
const alsoLater = (type: string) => laterMembers[type] ?? (type === 'identities' ? [] : ['external_reference_id']);

/** The same write as clients of the version send it. */
function inVersion(version: string, type: string, { attributes, links = {}, shown = {} }: Write): Write {
  if (version === newestVersion) return { attributes, links, shown };
  const isKnown = ([name]: [string, unknown]) => !alsoLater(type).includes(name);
  const known = Object.fromEntries(Object.entries(attributes).filter(isKnown));
  const { callback_method, authentication_method, filters, ...same } = known;
  const method = authentication_method as { attributes: { allowed_sip_ips: string[] } } | undefined;
  return {
    links: Object.fromEntries(Object.entries(links).filter(isKnown)),
    attributes: {
      ...same,
      ...(callback_method === undefined ? {} : { callback_method: String(callback_method).toUpperCase() }),
      ...(method === undefined ? {} : { allowed_sip_ips: method.attributes.allowed_sip_ips }),
      ...(filters === undefined ? {} : { filters: { year: '2026', month: '06', day: '01' } }),
    },
    shown: {
      ...shown,
      ...(callback_method === undefined ? {} : { callback_method }),
      ...(filters === undefined ? {} : { filters: expect.anything() }),
    },
  };
}

const client = (version: string): ApiClient => server.client.with({ headers: { 'x-service-api-version': version } });

function writesOf(type: string, operation: Operation): Promise<readonly Write[]> {
  const known = written[type];
  if (known === undefined) throw new Error(`test/support/written-members.ts has no values for ${type}`);
  return operation === 'create' ? known.creates() : known.updates();
}

async function someRecord(type: string): Promise<string> {
  const existing = await written[type]?.existing?.();
  if (existing !== undefined) return existing;
  const [write] = await writesOf(type, 'create');
  if (write === undefined) throw new Error(`nothing creates ${type}`);
  return (await client(newestVersion).post(`/${type}`, bodyOf(type, write))).resource.id;
}

const bodyOf = (type: string, { attributes, links = {} }: Write) =>
  document(type, { ...attributes }, { ...links } as never);

/** Read in the newest version, whatever it was written in. */
async function expectStored({ type }: PlatformResource, id: string, { attributes, links = {}, shown = {} }: Write) {
  const isShown = ([name]: [string, unknown]) => !Object.hasOwn(writtenOnly[type] ?? {}, name);
  const linked = Object.entries(links).filter(isShown);
  const read = await client(newestVersion).get(`/${type}/${id}?include=${linked.map(([name]) => name).join()}`);
  // The older version had the members of a trunk's credentials beside its own.
  const { allowed_sip_ips: flat, ...others } = attributes;
  const members = flat === undefined ? others : { ...others, authentication_method: shown.authentication_method };
  for (const [name, value] of Object.entries(members).filter(isShown)) {
    expect([name, read.resource.attributes[name]]).toEqual([name, shown[name] ?? value]);
  }
  for (const [name, link] of linked) {
    expect([name, read.resource.relationships[name]?.data]).toEqual([name, link]);
  }
}
