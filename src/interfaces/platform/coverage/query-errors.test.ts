/** Errors of queries, on the types of coverage. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/support/server.ts';
import { idOf, loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());
beforeAll(() => loadSmallCatalogue(server.env));
const get: TestServer['client']['get'] = (...request) => server.client.get(...request);

const gb = idOf('countries', 'GB');

describe('errors of a query', () => {
  test.each([
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
      '112 a type without relationships',
      '/pops?include=country',
      '112',
      'Invalid field',
      'country is not a valid relationship of pops',
    ],
    [
      '114 a type without sort keys',
      '/available_dids?sort=number',
      '114',
      'Invalid sort criteria',
      'number is not a valid sort criteria for available_dids',
    ],
  ])('%s', async (_case, path, code, title, detail) => {
    const response = await get(path);
    expect(response.status).toBe(400);
    expect(response.text).toBe(
      JSON.stringify({ errors: [{ title, detail, code, status: '400' }], meta: { api_version: '2026-04-16' } }),
    );
  });

  test('a query that cannot be decoded', async () => {
    const response = await get('/countries?filter[name]=%E0%A4%A');
    expect([response.status, response.errors[0]?.title]).toEqual([400, 'Bad Request']);
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
      const response = await get(path);
      expect([path, response.status, response.errors]).toEqual([path, 404, notFound(id)]);
    }
  });

  test('an id that is not well percent-encoded', async () => {
    const response = await get('/countries/%zz');
    expect([response.status, response.errors[0]?.title]).toEqual([404, 'Record not found']);
  });

  test.each(['/planets', `/planets/${unknown}`, '/', '', `/countries/${gb}/planets`, '/stock_keeping_units'])(
    'an unknown path: %s',
    async (path) => {
      const response = await get(path);
      expect([response.status, response.errors]).toEqual([
        404,
        [{ title: 'Not Found', detail: `The path /v3${path} could not be found.`, code: '404', status: '404' }],
      ]);
    },
  );

  test('a type that has no single read', async () => {
    expect((await get(`/pops/${idOf('pops', 'Frankfurt')}`)).status).toBe(404);
  });
});
