import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { idOf, loadSmallCatalogue } from '../../../test/support/small-catalogue.ts';

let server: TestServer;
let get: TestServer['client']['get'];

beforeAll(async () => {
  server = await startTestServer();
  await loadSmallCatalogue(server.env);
  get = server.client.get;
});
afterAll(() => server.close());

const gb = idOf('countries', 'GB');
const london = idOf('cities', 'London');
const londonGroup = idOf('did_groups', 'London');

describe('document shapes', () => {
  test('a single document has data and meta.api_version, in this order', async () => {
    const answer = await get(`/countries/${gb}`);
    const links = `${server.client.baseUrl}/countries/${gb}`;
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
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
    const answer = await get('/did_group_types');
    expect(Object.keys(answer.body)).toEqual(['data', 'meta', 'links']);
    expect(Object.entries(answer.meta)).toEqual([
      ['total_records', 2],
      ['api_version', '2026-04-16'],
    ]);
    expect(Object.keys(answer.links)).toEqual(['first', 'last']);
  });

  test.each(['countries', 'regions', 'pops'])('%s is not paginated: total_records, but no links', async (type) => {
    const answer = await get(`/${type}`);
    expect(Object.keys(answer.body)).toEqual(['data', 'meta']);
    expect(answer.meta.total_records).toBe(answer.resources.length);
  });

  test('included stands between data and meta, and is there only when include was sent', async () => {
    expect(Object.keys((await get('/cities?include=country')).body)).toEqual(['data', 'included', 'meta', 'links']);
    expect(Object.keys((await get(`/countries/${gb}?include=regions`)).body)).toEqual(['data', 'included', 'meta']);
    expect((await get(`/cities/${idOf('cities', 'Berlin')}?include=region`)).body.included).toEqual([]);
    expect((await get('/cities?include=')).body).not.toHaveProperty('included');
  });

  test('a type without relationships has no relationships member', async () => {
    const [type] = (await get('/did_group_types')).resources;
    expect(Object.keys(type ?? {})).toEqual(['id', 'type', 'attributes']);
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

  test('no document has a jsonapi member, and no resource links', async () => {
    const { text } = await get('/did_groups?include=country,stock_keeping_units');
    expect(text).not.toContain('"jsonapi"');
    expect(text).not.toMatch(/"type":"\w+","links"/);
  });

  test('money has trailing zeros trimmed and at least one decimal', async () => {
    const { included } = await get(`/did_groups/${londonGroup}?include=stock_keeping_units`);
    expect(included.map(({ attributes }) => [attributes.setup_price, attributes.monthly_price])).toEqual([
      ['0.0', '0.25'],
      ['0.0', '0.8'],
    ]);
  });
});

describe('linkage', () => {
  test('data of a relationship is there only when include asked for it, identifiers as type, id', async () => {
    const { relationships } = (await get(`/cities/${london}?include=country`)).resource;
    expect(JSON.stringify(relationships.country?.data)).toBe(`{"type":"countries","id":"${gb}"}`);
    expect(Object.keys(relationships.country ?? {})).toEqual(['links', 'data']);
    expect(Object.keys(relationships.region ?? {})).toEqual(['links']);
  });

  test('an empty to-one is null, a to-many is a list', async () => {
    const berlin = (await get(`/cities/${idOf('cities', 'Berlin')}?include=region,area`)).resource;
    expect([berlin.relationships.region?.data, berlin.relationships.area?.data]).toEqual([null, null]);
    const germany = (await get(`/countries/${idOf('countries', 'DE')}?include=regions`)).resource;
    expect(germany.relationships.regions?.data).toEqual([]);
    const group = (await get(`/did_groups/${londonGroup}?include=stock_keeping_units`)).resource;
    expect(group.relationships.stock_keeping_units?.data).toEqual(
      ['London 0', 'London 2'].map((name) => ({ type: 'stock_keeping_units', id: idOf('stock_keeping_units', name) })),
    );
  });

  test('linkage inside included follows the include path too', async () => {
    const { included } = await get(`/cities/${london}?include=region.country`);
    const region = included.find(({ type }) => type === 'regions');
    const country = included.find(({ type }) => type === 'countries');
    expect(region?.relationships.country?.data).toEqual({ type: 'countries', id: gb });
    expect(Object.keys(country?.relationships.regions ?? {})).toEqual(['links']);
  });

  test('relationship links are absolute, on the address the request came by', async () => {
    const { relationships } = (await get(`/cities/${london}`)).resource;
    expect(relationships.country?.links).toEqual({
      self: `${server.url}/v3/cities/${london}/relationships/country`,
      related: `${server.url}/v3/cities/${london}/country`,
    });
  });
});

describe('include', () => {
  test('paths of any depth are followed', async () => {
    const path = 'did_group.city.region.country.regions.country';
    const { included } = await get(`/available_dids?filter[did_group.id]=${londonGroup}&include=${path}`);
    expect(included.map(({ type }) => type).sort()).toEqual(['cities', 'countries', 'did_groups', 'regions']);
  });

  test('each included resource stands there once, whatever paths lead to it', async () => {
    const { included } = await get('/did_groups?include=country,city.country,region.country,did_group_type');
    const keys = included.map(({ type, id }) => `${type}/${id}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => key.startsWith('countries/')).length).toBe(3);
  });

  test('what is primary data already is not included again', async () => {
    const answer = await get('/countries?include=regions.country');
    expect(answer.included.map(({ type }) => type)).toEqual(['regions', 'regions', 'regions']);
    const us = answer.resources.find(({ attributes }) => attributes.iso === 'US');
    expect(us?.relationships.regions?.data).toHaveLength(2);
  });

  test('included resources stand in the order of the paths, whichever statement was answered first', async () => {
    const types = async (include: string) =>
      (await get(`/did_groups/${londonGroup}?include=${include}`)).included.map(({ type }) => type);
    expect(await types('city.region,did_group_type,country')).toEqual([
      'cities',
      'regions',
      'did_group_types',
      'countries',
    ]);
    expect(await types('country,did_group_type,city.region')).toEqual([
      'countries',
      'did_group_types',
      'cities',
      'regions',
    ]);
  });

  test('what a to-many links to stands in its own default order', async () => {
    const { resource, included } = await get(`/countries/${idOf('countries', 'US')}?include=regions`);
    const byName = ['California', 'New York'].map((name) => idOf('regions', name));
    expect(resource.relationships.regions?.data).toEqual(byName.map((id) => ({ type: 'regions', id })));
    expect(included.map(({ id }) => id)).toEqual(byName);
  });

  test('empty names between commas say nothing', async () => {
    const { included } = await get(`/cities/${london}?include=,country,`);
    expect(included.map(({ type }) => type)).toEqual(['countries']);
  });

  test('a relationship to a type that no room has yet is null', async () => {
    const { relationships } = (await get(`/did_groups/${londonGroup}?include=address_requirement`)).resource;
    expect(relationships.address_requirement?.data).toBeNull();
  });
});

describe('sparse fieldsets', () => {
  test('prune attributes and relationships of the primary type', async () => {
    const city = (await get(`/cities/${london}?fields[cities]=name,country`)).resource;
    expect(city.attributes).toEqual({ name: 'London' });
    expect(Object.keys(city.relationships)).toEqual(['country']);
  });

  test('apply to included types', async () => {
    const { included } = await get(`/cities/${london}?include=country&fields[countries]=iso`);
    expect(included).toEqual([{ id: gb, type: 'countries', attributes: { iso: 'GB' } }]);
  });

  test('an empty value leaves identity alone, and id is an accepted name', async () => {
    expect((await get(`/countries/${gb}?fields[countries]=`)).resource).toEqual({ id: gb, type: 'countries' });
    expect((await get(`/countries/${gb}?fields[countries]=id`)).resource).toEqual({ id: gb, type: 'countries' });
  });

  test('a relationship can be included without being shown', async () => {
    const answer = await get(`/cities/${london}?include=country&fields[cities]=name`);
    expect(answer.resource).not.toHaveProperty('relationships');
    expect(answer.included.map(({ id }) => id)).toEqual([gb]);
  });
});
