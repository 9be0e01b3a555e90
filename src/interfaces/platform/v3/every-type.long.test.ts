/** What every type must do, tried on each of them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/support/server.ts';
import { loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';
import type { PlatformResource } from '../declare.ts';
import { registry } from './registries.ts';

/**
 * What every declared type must stand, whatever room it is from. The client fails on any response that is not
 * documented.
 */
const server = useOpened(() => startTestServer({ account: { balance: '1000' } }));
let client: TestServer['client'];

beforeAll(async () => {
  await loadSmallCatalogue(server.env);
  client = server.client;
});

const nobody = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
const values = [
  nobody,
  `${nobody},${nobody}`,
  'true',
  '5',
  '-1',
  '99999999999999999999',
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  'a,b',
  "x'; --",
  '%',
  '_\\',
  '',
];

const all = registry.all().filter(({ path }) => path !== null);
const each = (chosen: PlatformResource[]) => chosen.map((resource) => [resource.type, resource] as const);
const ask = async (path: string) => (await client.get(path)).status;

describe('every list', () => {
  test.each(each(all.filter(({ endpoints }) => endpoints.list)))(
    '%s: every filter takes or refuses any value',
    async (_type, resource) => {
      for (const name of Object.keys(resource.filters)) {
        for (const value of values) {
          const response = await client.get(`${resource.path}?filter[${name}]=${encodeURIComponent(value)}`);
          const refused = response.status === 400 && response.errors.every(({ code }) => code === '107');
          expect([name, value, response.status, response.status === 200 || refused]).toEqual([
            name,
            value,
            response.status,
            true,
          ]);
        }
      }
    },
  );

  test.each(each(all.filter(({ endpoints }) => endpoints.list)))(
    '%s: every sort key, both ways',
    async (_type, resource) => {
      for (const key of Object.keys(resource.sort)) {
        expect([key, await ask(`${resource.path}?sort=${key}`), await ask(`${resource.path}?sort=-${key}`)]).toEqual([
          key,
          200,
          200,
        ]);
      }
    },
  );

  test.each(each(all.filter(({ endpoints }) => endpoints.list)))(
    '%s: every relationship can be included, and one further',
    async (_type, resource) => {
      for (const path of includePaths(resource, 2))
        expect([path, await ask(`${resource.path}?include=${path}`)]).toEqual([path, 200]);
      const fields = [...Object.keys(resource.attributes), ...Object.keys(resource.relationships)].join();
      expect(await ask(`${resource.path}?fields[${resource.type}]=${fields}`)).toBe(200);
    },
  );
});

describe('every record that is not there', () => {
  test.each(each(all.filter(({ endpoints, singleton }) => endpoints.read && !singleton)))(
    '%s',
    async (_type, resource) => {
      const one = `${resource.path}/${nobody}`;
      expect(await ask(one)).toBe(404);
      expect((await client.delete(one)).status).toBe(resource.endpoints.delete ? 404 : 405);
      const body = { data: { type: resource.type, id: nobody } };
      expect((await client.patch(one, body)).status).toBe(resource.endpoints.update ? 404 : 405);
      for (const name of Object.keys(resource.relationships)) {
        expect([await ask(`${one}/${name}`), await ask(`${one}/relationships/${name}`)]).toEqual([404, 404]);
      }
    },
  );
});

describe('every create', () => {
  const created = all.filter(({ endpoints, ownRoutes = [] }) => endpoints.create && !ownRoutes.includes('create'));
  const post = async (resource: PlatformResource, attributes: object, relationships: object) =>
    (await client.post(resource.path ?? '', { data: { type: resource.type, attributes, relationships } })).status;

  test.each(each(created))('%s: with nothing, it says what is missing', async (_type, resource) => {
    const required = [
      ...Object.values(resource.attributes).map(({ facts }) => facts),
      ...Object.values(resource.relationships),
    ];
    const status = await post(resource, {}, {});
    expect(required.some((facts) => facts.required) ? [400, 422] : [201, 400, 403, 422]).toContain(status);
  });

  test.each(each(created))('%s: any value for any member is taken or refused', async (_type, resource) => {
    const writable = Object.entries(resource.attributes).filter(([, { facts }]) => facts.create);
    const linked = Object.entries(resource.relationships).filter(([, relationship]) => relationship.create);
    for (const value of [
      'x',
      '',
      0,
      -1,
      1e20,
      true,
      null,
      [],
      ['x'],
      {},
      { type: 'x' },
      '2026-01-01',
      'x'.repeat(10_000),
    ]) {
      const attributes = Object.fromEntries(writable.map(([name]) => [name, value]));
      expect([201, 400, 403, 422]).toContain(await post(resource, attributes, {}));
    }
    const relationships = Object.fromEntries(
      linked.map(([name, { kind, target }]) => {
        const link = { type: [target].flat()[0], id: nobody };
        return [name, { data: kind === 'many' ? [link] : link }];
      }),
    );
    expect([201, 400, 403, 422]).toContain(await post(resource, {}, relationships));
  });
});

function includePaths(resource: PlatformResource, depth: number): string[] {
  return Object.entries(resource.relationships).flatMap(([name, { target, writeOnly }]) => {
    if (writeOnly) return [];
    const further = depth > 1 ? [target].flat().flatMap((type) => registry.get(type) ?? []) : [];
    return [name, ...further.flatMap((next) => includePaths(next, depth - 1).map((path) => `${name}.${path}`))];
  });
}
