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
import { newestOf } from '../../../engines/jsonapi/older-form.ts';
import type { Row } from '../../../engines/jsonapi/sql.ts';
import type { PlatformResource } from '../declare.ts';
import { knownVersions, newestVersion } from '../versions/versions.ts';
import { registry, registryOf, typeNamesOf } from './registries.ts';

type Operation = 'create' | 'update';

const server = useOpened(() => startTestServer({ account: { balance: '5000' } }));
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
  const each = (operation: Operation) =>
    registryOf(version)
      .all()
      .filter((resource) => types.includes(newestOf(resource)) && writes(resource, operation))
      .map((resource) => [resource.type, resource] as const);

  test.each(each('create'))('%s: what a new record was given is there', async (type, resource) => {
    for (const write of await writesOf(newestOf(resource).type, 'create')) {
      const { sent, known } = inVersion(version, resource, write, 'create');
      const response = await client(version).post(`/${type}`, bodyOf(type, sent));
      expect([response.status, response.status === 201 || response.text]).toEqual([201, true]);
      await expectStored(newestVersion, newestOf(resource), response.resource.id, known);
      await expectStored(version, resource, response.resource.id, sent);
    }
  });

  test.each(each('update'))('%s: what was changed is there', async (type, resource) => {
    const id = await someRecord(newestOf(resource).type);
    for (const write of await writesOf(newestOf(resource).type, 'update')) {
      const { sent, known } = inVersion(version, resource, write, 'update');
      const { data } = bodyOf(type, sent);
      const { status, text } = await client(version).patch(`/${type}/${id}`, { data: { ...data, id } });
      expect([status, status === 200 || text]).toEqual([200, true]);
      await expectStored(newestVersion, newestOf(resource), id, known);
      await expectStored(version, resource, id, sent);
    }
  });
});

/**
 * A write as clients of the version send it, by what its declaration says of each member; and the part of it that the
 * version knows, as the newest one shows it.
 */
function inVersion(version: string, resource: PlatformResource, write: Write, operation: Operation) {
  const { attributes, links = {}, shown = {} } = write;
  if (version === newestVersion) return { sent: write, known: write };
  const ownName = (column: string, value: unknown) =>
    Object.keys(resource.older?.row({ [column]: value }) ?? {})[0] ?? column;
  const sent = { attributes: {} as Row, links: {} as Row, shown: {} as Row };
  const known = { attributes: {} as Row, links: {} as Row, shown };
  for (const [name, value] of Object.entries(attributes)) {
    const { own, wire, read } = attributeIn(version, resource, ownName(name, value), value, operation);
    if (wire === undefined) continue;
    sent.attributes[own] = wire;
    known.attributes[name] = value;
    if (read !== undefined) sent.shown[own] = read;
    else if (shown[name] !== undefined) sent.shown[own] = shown[name];
    if (name === 'filters') known.shown = { ...known.shown, filters: expect.anything() };
  }
  const names = typeNamesOf(version);
  const own = ({ type, id }: { type: string; id: string }) => ({ type: names.own(type), id });
  for (const [name, link] of Object.entries(links)) {
    const word = ownName(`→${name}`, null).replace('→', '');
    if (!resource.relationships[word]?.[operation]) continue;
    sent.links[word] = Array.isArray(link) ? link.map(own) : own(link as { type: string; id: string });
    known.links[name] = link;
  }
  return { sent: sent as unknown as Write, known: known as unknown as Write };
}

/** `wire` is undefined if the version cannot write it; `read` is what a response shows, if it is another value. */
function attributeIn(
  version: string,
  { attributes }: PlatformResource,
  own: string,
  value: unknown,
  operation: Operation,
) {
  if (own === 'authentication_method') {
    const { allowed_sip_ips } = (value as { attributes: { allowed_sip_ips?: string[] } }).attributes;
    return { own: 'allowed_sip_ips', wire: allowed_sip_ips, read: expect.anything() };
  }
  const attribute = attributes[own];
  if (!attribute?.facts[operation]) return { own, wire: undefined };
  if (own === 'filters') {
    const month = { year: '2026', month: '6' };
    return { own, wire: version < '2021-12-15' ? month : { ...month, day: '1' } };
  }
  const { facts, objectTypes, decode } = attribute;
  if (facts.enum && !facts.enum.includes(value as string)) {
    return { own, wire: decode?.(value as never, { baseUrl: '' }) };
  }
  return { own, wire: objectTypes ? withKnownMembers(objectTypes, value) : value };
}

function withKnownMembers(
  types: NonNullable<PlatformResource['attributes'][string]['objectTypes']>,
  value: unknown,
): unknown {
  if (Array.isArray(value)) return value.map((each) => withKnownMembers(types, each));
  const { type, attributes } = value as { type: string; attributes: Row };
  const kept = Object.entries(attributes).filter(([name]) => Object.hasOwn(types[type] ?? {}, name));
  return { type, attributes: Object.fromEntries(kept) };
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

async function expectStored(
  version: string,
  resource: PlatformResource,
  id: string,
  { attributes, links = {}, shown = {} }: Write,
) {
  const { type, relationships } = resource;
  const hidden = writtenOnly[newestOf(resource).type] ?? {};
  const isShown = ([name]: [string, unknown]) =>
    !Object.hasOwn(hidden, name) && !resource.attributes[name]?.facts.writeOnly && !relationships[name]?.writeOnly;
  const linked = Object.entries(links).filter(isShown);
  if (!resource.endpoints.read) return;
  const read = await client(version).get(`/${type}/${id}?include=${linked.map(([name]) => name).join()}`);
  for (const [name, value] of Object.entries(attributes).filter(isShown)) {
    expect([name, read.resource.attributes[name]]).toEqual([name, shown[name] ?? value]);
  }
  for (const [name, link] of linked) {
    expect([name, read.resource.relationships[name]?.data]).toEqual([name, link]);
  }
}
