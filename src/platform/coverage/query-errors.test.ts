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

describe('errors of a query', () => {
  test.each([
    [
      '101 a fieldset of no type',
      '/countries?fields[planets]=name',
      '101',
      'Invalid resource',
      'planets is not a valid resource.',
    ],
    ['102 an unknown filter', '/countries?filter[colour]=red', '102', 'Filter not allowed', 'colour is not allowed.'],
    [
      '102 a filter of another type',
      '/countries?filter[country.id]=x',
      '102',
      'Filter not allowed',
      'country.id is not allowed.',
    ],
    [
      '102 a name in several brackets',
      '/cities?filter[country][id]=x',
      '102',
      'Filter not allowed',
      'country[id] is not allowed.',
    ],
    [
      '102 a name every object has',
      '/countries?filter[constructor]=x',
      '102',
      'Filter not allowed',
      'constructor is not allowed.',
    ],
    [
      '104 an unknown field',
      '/countries?fields[countries]=colour',
      '104',
      'Invalid field',
      'colour is not a valid field for countries.',
    ],
    [
      '104 on a single document',
      `/countries/${gb}?fields[regions]=x`,
      '104',
      'Invalid field',
      'x is not a valid field for regions.',
    ],
    ['105 an unknown parameter', '/countries?colour=red', '105', 'Param not allowed', 'colour is not allowed.'],
    [
      '102 a filter on a single document',
      `/countries/${gb}?filter[iso]=GB`,
      '102',
      'Filter not allowed',
      'iso is not allowed.',
    ],
    ['107 no id', '/countries?filter[id]=GB', '107', 'Invalid filter value', 'GB is not a valid value for id.'],
    [
      '107 an empty value where none is taken',
      '/regions?filter[iso]=',
      '107',
      'Invalid filter value',
      ' is not a valid value for iso.',
    ],
    [
      '107 not a boolean',
      '/countries?filter[is_available]=yes',
      '107',
      'Invalid filter value',
      'yes is not a valid value for is_available.',
    ],
    [
      '107 not a number',
      '/did_groups?filter[meta.total_count_gteq]=many',
      '107',
      'Invalid filter value',
      'many is not a valid value for meta.total_count_gteq.',
    ],
    [
      '107 an unknown feature',
      '/did_groups?filter[features]=voice_in,fly',
      '107',
      'Invalid filter value',
      'voice_in,fly is not a valid value for features.',
    ],
    [
      '107 two ids where one is taken',
      `/did_groups?filter[nanpa_prefix.id]=${gb},${gb}`,
      '107',
      'Invalid filter value',
      `${gb},${gb} is not a valid value for nanpa_prefix.id.`,
    ],
    [
      '107 not digits',
      '/available_dids?filter[number_contains]=55a',
      '107',
      'Invalid filter value',
      '55a is not a valid value for number_contains.',
    ],
    [
      '112 an unknown relationship',
      '/countries?include=planets',
      '112',
      'Invalid field',
      'planets is not a valid relationship of countries',
    ],
    [
      '112 deeper down',
      '/cities?include=country.planets',
      '112',
      'Invalid field',
      'planets is not a valid relationship of countries',
    ],
    [
      '112 a type without relationships',
      '/pops?include=country',
      '112',
      'Invalid field',
      'country is not a valid relationship of pops',
    ],
    [
      '114 an unknown sort key',
      '/countries?sort=colour',
      '114',
      'Invalid sort criteria',
      'colour is not a valid sort criteria for countries',
    ],
    [
      '114 turned round',
      '/countries?sort=name,-colour',
      '114',
      'Invalid sort criteria',
      'colour is not a valid sort criteria for countries',
    ],
    [
      '114 a type without sort keys',
      '/available_dids?sort=number',
      '114',
      'Invalid sort criteria',
      'number is not a valid sort criteria for available_dids',
    ],
    [
      '119 fields without a type',
      '/countries?fields=name',
      '119',
      'Invalid field format',
      'Fields must specify a type.',
    ],
    [
      '120 a filter without a key',
      '/countries?filter=iso',
      '120',
      'Invalid filters syntax',
      'iso is not a valid syntax for filtering.',
    ],
  ])('%s', async (_case, path, code, title, detail) => {
    const answer = await get(path);
    expect(answer.status).toBe(400);
    expect(answer.text).toBe(
      JSON.stringify({ errors: [{ title, detail, code, status: '400' }], meta: { api_version: '2026-04-16' } }),
    );
  });

  test('several errors come in one answer', async () => {
    const answer = await get(
      '/cities?filter[a]=1&filter[id]=x&include=b&sort=c&fields[cities]=d&page[size]=0&page[e]=1&f=1',
    );
    expect(answer.status).toBe(400);
    expect(answer.errors.map(({ code, detail }) => `${code} ${detail}`)).toEqual([
      '102 a is not allowed.',
      '107 x is not a valid value for id.',
      '112 b is not a valid relationship of cities',
      '114 c is not a valid sort criteria for cities',
      '104 d is not a valid field for cities.',
      '118 0 is not a valid value for size page parameter.',
      '105 e is not an allowed page parameter.',
      '105 f is not allowed.',
    ]);
  });

  test('a query that cannot be decoded', async () => {
    const answer = await get('/countries?filter[name]=%E0%A4%A');
    expect([answer.status, answer.errors[0]?.title]).toEqual([400, 'Bad Request']);
  });

  test('a NUL in a value matches nothing and breaks nothing', async () => {
    const answer = await get('/countries?filter[name]=a%00b');
    expect([answer.status, answer.errors[0]?.code]).toEqual([400, '107']);
  });
});

describe('404', () => {
  const notFound = (id: string) => [
    {
      title: 'Record not found',
      detail: `The record identified by ${id} could not be found.`,
      code: '404',
      status: '404',
    },
  ];
  const unknown = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

  test.each([
    ['an id that nobody has', unknown],
    ['an id of another type', idOf('cities', 'London')],
    ['what cannot be an id', 'GB'],
    ['a very long one', 'x'.repeat(300)],
  ])('%s', async (_case, id) => {
    for (const path of [`/countries/${id}`, `/countries/${id}/regions`, `/countries/${id}/relationships/regions`]) {
      const answer = await get(path);
      expect([path, answer.status, answer.errors]).toEqual([path, 404, notFound(id)]);
    }
  });

  test('an id that is not well percent-encoded', async () => {
    const answer = await get('/countries/%zz');
    expect([answer.status, answer.errors[0]?.title]).toEqual([404, 'Record not found']);
  });

  test.each(['/planets', `/planets/${unknown}`, '/', '', `/countries/${gb}/planets`, '/stock_keeping_units'])(
    'an unknown path: %s',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.errors]).toEqual([
        404,
        [{ title: 'Not Found', detail: `The path /v3${path} could not be found.`, code: '404', status: '404' }],
      ]);
    },
  );

  test('a type that has no single read', async () => {
    expect((await get(`/pops/${idOf('pops', 'Frankfurt')}`)).status).toBe(404);
  });
});

test.each(['2026-02-30', '2026-13-01', '2026-06-31T10:00:00Z', '2026-02-01T25:00', '2026-00-10'])(
  'a moment that is not in the calendar is no filter value: %s',
  async (at) => {
    expect((await server.client.get(`/orders?filter[created_at_gteq]=${at}`)).errors).toMatchObject([
      { status: '400', code: '107', detail: `${at} is not a valid value for created_at_gteq.` },
    ]);
  },
);
