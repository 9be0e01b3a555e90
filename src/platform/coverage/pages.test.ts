import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { idOf, loadSmallCatalogue, towns } from '../../../test/support/small-catalogue.ts';

let server: TestServer;
let get: TestServer['client']['get'];

beforeAll(async () => {
  server = await startTestServer();
  await loadSmallCatalogue(server.env);
  get = server.client.get;
});
afterAll(() => server.close());

const germany = idOf('countries', 'DE');
const names = (answer: Awaited<ReturnType<typeof get>>) => answer.resources.map(({ attributes }) => attributes.name);

describe('pages', () => {
  test('50 records without being asked, 100 at most', async () => {
    expect((await get('/cities')).resources).toHaveLength(50);
    expect((await get('/cities?page[size]=100')).resources).toHaveLength(100);
    expect((await get('/cities?page[size]=101')).errors).toEqual([
      { title: 'Invalid page value', detail: 'size exceeds maximum page size of 100.', code: '118', status: '400' },
    ]);
  });

  test('page N of size S runs from (N-1)*S+1 to N*S', async () => {
    const answer = await get(`/cities?filter[country.id]=${germany}&sort=name&page[number]=3&page[size]=10`);
    expect(names(answer)).toEqual(towns.slice(19, 29));
    expect(answer.meta.total_records).toBe(121);
  });

  test('every record stands on exactly one page', async () => {
    const seen: string[] = [];
    let url: string | undefined = `${server.client.baseUrl}/cities?page[size]=25`;
    while (url) {
      const answer = await get(url);
      seen.push(...answer.resources.map(({ id }) => id));
      url = answer.links.next;
    }
    expect(seen).toHaveLength(123);
    expect(new Set(seen).size).toBe(123);
  });

  test('a page past the end is empty and still knows the total', async () => {
    const answer = await get('/cities?page[number]=1000');
    expect([answer.status, answer.resources, answer.meta.total_records]).toEqual([200, [], 123]);
    expect(Object.keys(answer.links)).toEqual(['first', 'prev', 'last']);
  });

  test('page is ignored where a collection is not paginated', async () => {
    const answer = await get('/countries?page[size]=1&page[number]=9&page[foo]=x&page=7');
    expect([answer.status, answer.resources.length]).toEqual([200, 4]);
  });

  test('an operator may raise the maximum for one account', async () => {
    const raised = await server.addAccount({ limits: { max_page_size: 200 } });
    expect((await raised.client.get('/cities?page[size]=123')).resources).toHaveLength(123);
    expect((await raised.client.get('/cities?page[size]=201')).errors[0]?.detail).toBe(
      'size exceeds maximum page size of 200.',
    );
  });
});

describe('page errors', () => {
  const value = (text: string, param: string) => ({
    title: 'Invalid page value',
    detail: `${text} is not a valid value for ${param} page parameter.`,
    code: '118',
    status: '400',
  });

  test.each([
    ['page[number]=0', value('0', 'number')],
    ['page[number]=-1', value('-1', 'number')],
    ['page[number]=one', value('one', 'number')],
    ['page[number]=1.5', value('1.5', 'number')],
    ['page[number]=', value('', 'number')],
    ['page[size]=0', value('0', 'size')],
    ['page[size]=x', value('x', 'size')],
    ['page[size]=99999999999999999999', value('99999999999999999999', 'size')],
    [
      'page[foo]=1',
      {
        title: 'Page parameter not allowed',
        detail: 'foo is not an allowed page parameter.',
        code: '105',
        status: '400',
      },
    ],
    ['page=2', { title: 'Invalid Page Object', detail: 'Invalid Page Object.', code: '117', status: '400' }],
  ])('%s', async (query, error) => {
    const answer = await get(`/cities?${query}`);
    expect([answer.status, answer.errors]).toEqual([400, [error]]);
  });
});

describe('pagination links', () => {
  test('are absolute, percent-encoded, in alphabetical order, and keep filters, include, fields and sort', async () => {
    const query = `sort=-name&include=country,region&filter[country.id]=${germany}&fields[countries]=iso,name&page[size]=50&page[number]=2`;
    const { links } = await get(`/cities?${query}`);
    const link = (page: number) =>
      `${server.url}/v3/cities?fields%5Bcountries%5D=iso%2Cname&filter%5Bcountry.id%5D=${germany}` +
      `&include=country%2Cregion&page%5Bnumber%5D=${page}&page%5Bsize%5D=50&sort=-name`;
    expect(Object.entries(links)).toEqual([
      ['first', link(1)],
      ['prev', link(1)],
      ['next', link(3)],
      ['last', link(3)],
    ]);
  });

  test('prev is left out on the first page and next on the last', async () => {
    expect(Object.keys((await get('/cities')).links)).toEqual(['first', 'next', 'last']);
    expect(Object.keys((await get('/cities?page[number]=3')).links)).toEqual(['first', 'prev', 'last']);
  });

  test('an empty collection has one page', async () => {
    const { links } = await get('/cities?filter[name]=Nowhere');
    expect(links.first).toBe(links.last);
    expect(links.last).toContain('page%5Bnumber%5D=1&');
  });

  test('values that need it stay encoded', async () => {
    const { links } = await get(`/cities?filter[name]=${encodeURIComponent('São Paulo & more+')}`);
    expect(links.first).toContain('filter%5Bname%5D=S%C3%A3o%20Paulo%20%26%20more%2B&');
  });

  test('a parameter sent twice counts once, the last time it was sent', async () => {
    const answer = await get('/cities?filter[name]=Berlin&filter[name]=London&page[size]=1');
    expect(names(answer)).toEqual(['London']);
    expect(answer.links.first).toContain('filter%5Bname%5D=London&');
    expect(answer.meta.total_records).toBe(1);
  });

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
