/** What the declarations of the catalogue make of the engine's documents, pages and relationship URLs. */

import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/support/server.ts';
import { idOf, loadSmallCatalogue, towns } from '../../../../test/support/small-catalogue.ts';
import { statementsDuring } from '../../../../test/support/statements.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());
beforeAll(() => loadSmallCatalogue(server.env));
const get: TestServer['client']['get'] = (...request) => server.client.get(...request);

const gb = idOf('countries', 'GB');
const londonGroup = idOf('did_groups', 'London');

describe('document shapes', () => {
  test('a single document has data and meta.api_version, in this order', async () => {
    const response = await get(`/countries/${gb}`);
    const links = `${server.client.baseUrl}/countries/${gb}`;
    expect(response.status).toBe(200);
    expect(response.text).toBe(
      JSON.stringify({
        data: {
          id: gb,
          type: 'countries',
          attributes: { name: 'United Kingdom', prefix: '44', iso: 'GB' },
          relationships: {
            regions: { links: { self: `${links}/relationships/regions`, related: `${links}/regions` } },
          },
        },
        meta: { api_version: '2026-04-16' },
      }),
    );
  });

  test('a paginated collection has data, meta and links, in this order', async () => {
    const response = await get('/did_group_types');
    expect(Object.keys(response.body)).toEqual(['data', 'meta', 'links']);
    expect(Object.entries(response.meta)).toEqual([
      ['total_records', 2],
      ['api_version', '2026-04-16'],
    ]);
    expect(Object.keys(response.links)).toEqual(['first', 'last']);
  });

  test.each(['countries', 'regions', 'pops'])('%s is not paginated: total_records, but no links', async (type) => {
    const response = await get(`/${type}`);
    expect(Object.keys(response.body)).toEqual(['data', 'meta']);
    expect(response.meta.total_records).toBe(response.resources.length);
  });

  test('resource meta comes last and only on types that have it', async () => {
    const group = (await get(`/did_groups/${londonGroup}`)).resource;
    expect(Object.keys(group)).toEqual(['id', 'type', 'attributes', 'relationships', 'meta']);
    expect(group.meta).toEqual({
      available_dids_enabled: true,
      needs_registration: false,
      is_available: true,
      total_count: 3,
    });
  });

  test('available_dids has total_count beside total_records', async () => {
    const { meta } = await get('/available_dids');
    expect(Object.entries(meta)).toEqual([
      ['total_records', 7],
      ['total_count', 7],
      ['api_version', '2026-04-16'],
    ]);
  });

  test('money has trailing zeros trimmed and at least one decimal', async () => {
    const { included } = await get(`/did_groups/${londonGroup}?include=stock_keeping_units`);
    expect(included.map(({ attributes }) => [attributes.setup_price, attributes.monthly_price])).toEqual([
      ['0.0', '0.25'],
      ['0.0', '0.8'],
    ]);
  });
});

describe('pages', () => {
  test('50 records without being asked, 100 at most', async () => {
    expect((await get('/cities')).resources).toHaveLength(50);
    expect((await get('/did_groups?page[size]=100')).status).toBe(200);
    expect((await get('/did_groups?page[size]=101')).errors).toEqual([
      { title: 'Invalid page value', detail: 'size exceeds maximum page size of 100.', code: '118', status: '400' },
    ]);
  });

  test.each(['/cities', '/areas', '/voice_out_trunks'])('1,000 of %s at most', async (path) => {
    expect((await get(`${path}?page[size]=1000`)).status).toBe(200);
    expect((await get(`${path}?page[size]=1001`)).errors[0]?.detail).toBe('size exceeds maximum page size of 1000.');
  });

  test('an operator may raise the maximum for one account', async () => {
    const raised = await server.addAccount({ limits: { max_page_size: 1_100 } });
    for (const path of ['/did_groups', '/cities']) {
      expect((await raised.client.get(`${path}?page[size]=1100`)).status).toBe(200);
      expect((await raised.client.get(`${path}?page[size]=1101`)).errors[0]?.detail).toBe(
        'size exceeds maximum page size of 1100.',
      );
    }
  });
});

describe('pagination links', () => {
  test('go by the public address when one is set', async () => {
    const behind = await startTestServer({ publicUrl: 'https://numbers.example.test/prefix' });
    await loadSmallCatalogue(behind.env);
    const { links, resources } = await behind.client.get('/cities');
    expect(links.first).toMatch(/^https:\/\/numbers\.example\.test\/prefix\/v3\/cities\?/);
    expect(resources[0]?.relationships.country?.links.self).toMatch(
      /^https:\/\/numbers\.example\.test\/prefix\/v3\/cities\//,
    );
    await behind.close();
  });
});

const us = idOf('countries', 'US');
const group = `/did_groups/${idOf('did_groups', 'London')}`;

describe('GET /{type}/{id}/{rel}', () => {
  test('a type without a path of its own is reached this way', async () => {
    const response = await get(`${group}/stock_keeping_units`);
    expect(response.resources.map(({ attributes }) => attributes.channels_included_count)).toEqual([0, 2]);
  });
});

/**
 * The first request is not counted: it reads the key, which is then remembered. Kept responses are dropped in between.
 */
async function statementsOf(path: string): Promise<number> {
  await get(path);
  await server.env.pool.query('update catalogue_version set version = gen_random_uuid()');
  return (await statementsDuring(server.env.pool, () => get(path))).length;
}

describe('the number of statements', () => {
  test('does not grow with the page', async () => {
    const path = `/cities?filter[country.id]=${idOf('countries', 'DE')}&include=country.regions,region,area`;
    const small = await statementsOf(`${path}&page[size]=2`);
    const large = await statementsOf(`${path}&page[size]=100`);
    expect(towns.length).toBeGreaterThan(100);
    expect([small, large]).toEqual([5, 5]);
  });

  test.each([
    ['a single record of reference data: its version and one', `/countries/${us}`, 2],
    ['a whole collection: the version and one, since the rows tell the total', '/countries', 2],
    ['a page of more: the version, and one for rows and count', '/cities?page[size]=10', 2],
    [
      'one more per included relationship and level, and the version for reference data among them',
      '/did_groups?include=country.regions,city,did_group_type,stock_keeping_units',
      7,
    ],
    ['available numbers: one', '/available_dids', 1],
    ['and what they include, and the version', '/available_dids?include=did_group.country,nanpa_prefix', 5],
    ['linkage of a to-many: the record and its links', `/countries/${us}/relationships/regions`, 2],
  ])('%s', async (_case, path, count) => {
    expect(await statementsOf(path)).toBe(count);
  });
});

test('included reference data is read once, and again after the catalogue has changed', async () => {
  const path = '/did_groups?include=country,did_group_type';
  const statements = () => statementsDuring(server.env.pool, () => get(path));
  await get(path);
  expect((await statements()).filter(({ text }) => /from (countries|did_group_types) /.test(text))).toEqual([]);
  const before = await get(path);
  await server.env.pool.query("update countries set name = name || ' (renamed)' where id = $1", [us]);
  const after = await get(path);
  const nameIn = (response: typeof before) => response.included.find(({ id }) => id === us)?.attributes.name;
  expect(nameIn(after)).toBe(`${nameIn(before)} (renamed)`);
  await server.env.pool.query("update countries set name = replace(name, ' (renamed)', '') where id = $1", [us]);
  expect(nameIn(await get(path))).toBe(nameIn(before));
});
