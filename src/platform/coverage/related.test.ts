import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { idOf, loadSmallCatalogue, towns } from '../../../test/support/small-catalogue.ts';
import { statementsDuring } from '../../../test/support/statements.ts';

let server: TestServer;
let get: TestServer['client']['get'];

beforeAll(async () => {
  server = await startTestServer();
  await loadSmallCatalogue(server.env);
  get = server.client.get;
});
afterAll(() => server.close());

const us = idOf('countries', 'US');
const london = `/cities/${idOf('cities', 'London')}`;
const berlin = `/cities/${idOf('cities', 'Berlin')}`;
const group = `/did_groups/${idOf('did_groups', 'London')}`;

describe('GET /{type}/{id}/relationships/{rel}', () => {
  test('a to-one has links, data and meta', async () => {
    const answer = await get(`${london}/relationships/country`);
    expect(answer.text).toBe(
      JSON.stringify({
        links: {
          self: `${server.client.baseUrl}${london}/relationships/country`,
          related: `${server.client.baseUrl}${london}/country`,
        },
        data: { type: 'countries', id: idOf('countries', 'GB') },
        meta: { api_version: '2026-04-16' },
      }),
    );
  });

  test('an empty to-one is null, a to-many is a list', async () => {
    expect((await get(`${berlin}/relationships/region`)).body.data).toBeNull();
    expect((await get(`${group}/relationships/stock_keeping_units`)).body.data).toEqual(
      ['London 0', 'London 2'].map((name) => ({ type: 'stock_keeping_units', id: idOf('stock_keeping_units', name) })),
    );
    expect((await get(`/countries/${idOf('countries', 'AQ')}/relationships/regions`)).body.data).toEqual([]);
  });

  test('an unknown relationship is 404', async () => {
    expect((await get(`${london}/relationships/planet`)).status).toBe(404);
  });
});

describe('GET /{type}/{id}/{rel}', () => {
  test('a to-one is the related resource, which can include and be narrowed', async () => {
    const answer = await get(`${london}/country?include=regions&fields[countries]=name,regions`);
    expect(answer.resource.attributes).toEqual({ name: 'United Kingdom' });
    expect(answer.included.map(({ attributes }) => attributes.name)).toEqual(['England']);
  });

  test('an empty to-one is data: null', async () => {
    expect((await get(`${berlin}/region`)).body).toEqual({ data: null, meta: { api_version: '2026-04-16' } });
    expect((await get(`${group}/address_requirement`)).body.data).toBeNull();
  });

  test('an empty to-one is asked for by the same rules as a full one', async () => {
    expect((await get(`${berlin}/region?include=country`)).body.included).toEqual([]);
    expect((await get(`${berlin}/region?include=planet`)).errors[0]?.code).toBe('112');
  });

  test('a to-many is a collection with its own filters, sort, include and total', async () => {
    const regions = `/countries/${us}/regions`;
    const all = await get(`${regions}?sort=-name&include=country`);
    expect(all.resources.map(({ attributes }) => attributes.name)).toEqual(['New York', 'California']);
    expect([all.meta.total_records, all.included.map(({ id }) => id)]).toEqual([2, [us]]);
    const one = await get(`${regions}?filter[iso]=US-CA`);
    expect(one.resources.map(({ attributes }) => attributes.name)).toEqual(['California']);
    expect((await get(`${regions}?filter[planet]=x`)).errors[0]?.code).toBe('102');
  });

  test('a type without a path of its own is reached this way', async () => {
    const answer = await get(`${group}/stock_keeping_units`);
    expect(answer.resources.map(({ attributes }) => attributes.channels_included_count)).toEqual([0, 2]);
  });
});

/** The first request is not counted: it reads the key, which is then remembered. */
async function statementsOf(path: string): Promise<number> {
  await get(path);
  return (await statementsDuring(server.env.pool, () => get(path))).length;
}

describe('the number of statements', () => {
  test('does not grow with the page', async () => {
    const path = `/cities?filter[country.id]=${idOf('countries', 'DE')}&include=country.regions,region,area`;
    const small = await statementsOf(`${path}&page[size]=2`);
    const large = await statementsOf(`${path}&page[size]=100`);
    expect(towns.length).toBeGreaterThan(100);
    expect([small, large]).toEqual([4, 4]);
  });

  test.each([
    ['a single record: one', `/countries/${us}`, 1],
    ['a whole collection: one, since the rows tell the total', '/countries', 1],
    ['a page of more: one for rows, one for the count', '/cities?page[size]=10', 2],
    [
      'one more per included relationship and level',
      '/did_groups?include=country.regions,city,did_group_type,stock_keeping_units',
      6,
    ],
    ['available numbers: blocks and rows', '/available_dids', 2],
    ['and what they include', '/available_dids?include=did_group.country,nanpa_prefix', 5],
    ['linkage of a to-many: the record and its links', `/countries/${us}/relationships/regions`, 2],
  ])('%s', async (_case, path, count) => {
    expect(await statementsOf(path)).toBe(count);
  });
});
