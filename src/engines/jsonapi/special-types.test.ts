/** Types that are not a plain table: polymorphic, singular, without storage. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../test/support/client.ts';
import { annaId, benId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let ben: ApiClient;
let shelf: string;
let ada: string;
let club: string;

const insert = async (table: string, values: Record<string, unknown>): Promise<string> => {
  const names = Object.keys(values);
  const places = names.map((_, index) => `$${index + 1}`).join(', ');
  const text = `insert into ${table} (${names.join(', ')}) values (${places}) returning id`;
  return String((await library.pool.query(text, Object.values(values))).rows[0].id);
};
const bookWith = (relationships: object, query = '') =>
  anna.post(`/books${query}`, {
    data: {
      type: 'books',
      attributes: { title: 'Emma' },
      relationships: { shelf: { data: { type: 'shelves', id: shelf } }, ...relationships },
    },
  });

beforeAll(async () => {
  ({ anna, ben } = library);
  shelf = (await anna.post('/shelves', { data: { type: 'shelves', attributes: { name: 'First' } } })).resource.id;
  ada = await insert('readers', { account_id: annaId, name: 'Ada' });
  club = await insert('clubs', { account_id: annaId, name: 'Club', leader_id: ada });
  for (const [account_id, money] of [
    [annaId, '1234.5'],
    [benId, '-0.004'],
  ])
    await insert('desks', { account_id, money });
  await insert('notices', { text: 'Closed on Sundays' });
});

describe('a polymorphic relationship', () => {
  test('links to either type, and includes what it links to', async () => {
    const byReader = await bookWith({ keeper: { data: { type: 'readers', id: ada } } }, '?include=keeper');
    expect(byReader.resource.relationships.keeper?.data).toEqual({ type: 'readers', id: ada });
    expect(byReader.included.map(({ type, attributes }) => [type, attributes.name])).toEqual([['readers', 'Ada']]);
    const byClub = await bookWith({ keeper: { data: { type: 'clubs', id: club } } }, '?include=keeper');
    expect(byClub.included.map(({ type }) => type)).toEqual(['clubs']);
  });

  test('includes further from whichever type has the relationship', async () => {
    await bookWith({ keeper: { data: { type: 'clubs', id: club } } });
    const { included } = await anna.get('/books?include=keeper.leader');
    expect(included.map(({ type }) => type).sort()).toEqual(['clubs', 'readers']);
  });

  test('has linkage and related endpoints', async () => {
    const { id } = (await bookWith({ keeper: { data: { type: 'clubs', id: club } } })).resource;
    expect((await anna.get(`/books/${id}/relationships/keeper`)).body.data).toEqual({ type: 'clubs', id: club });
    expect((await anna.get(`/books/${id}/keeper`)).resource.attributes.name).toBe('Club');
  });

  test('a link to the right id of the wrong type is no link', async () => {
    const response = await bookWith({ keeper: { data: { type: 'clubs', id: ada } } });
    expect([response.status, response.errors[0]?.detail]).toEqual([422, 'keeper - is invalid']);
  });
});

describe('a type that stores nothing', () => {
  const check = (attributes: object, relationships: object) =>
    anna.post('/book_checks', { data: { type: 'book_checks', attributes, relationships } });

  test('answers 201 with its identity alone', async () => {
    const { id } = (await bookWith({})).resource;
    const response = await check({}, { book: { data: { type: 'books', id } } });
    expect([response.status, response.resource]).toEqual([201, { id: expect.any(String), type: 'book_checks' }]);
  });

  test('says no with an error about the whole document', async () => {
    const { id } = (await bookWith({})).resource;
    const response = await check({ strict: true }, { book: { data: { type: 'books', id } } });
    expect([response.status, response.errors]).toEqual([
      422,
      [
        {
          title: 'The book is not good enough',
          detail: 'The book is not good enough',
          code: '100',
          source: { pointer: '/data' },
          status: '422',
        },
      ],
    ]);
  });

  test('has no other endpoint', async () => {
    expect((await anna.get('/book_checks')).status).toBe(405);
    expect((await anna.get(`/book_checks/${shelf}`)).status).toBe(404);
  });
});

describe('a singular endpoint', () => {
  test('reads without an id, each account its own', async () => {
    const [mine, his] = [await anna.get('/desk'), await ben.get('/desk')];
    expect(mine.resource).toEqual({
      id: expect.any(String),
      type: 'desks',
      attributes: { money: '1234.50' },
    });
    expect([mine.resource.id === his.resource.id, his.resource.attributes.money]).toEqual([false, '0.00']);
  });

  test('can be narrowed, and nothing stands below it', async () => {
    expect((await anna.get('/desk?fields[desks]=money')).resource.attributes).toEqual({ money: '1234.50' });
    expect((await anna.get(`/desk/${shelf}`)).status).toBe(404);
    expect((await anna.get('/desks')).status).toBe(404);
  });
});

describe('resource meta', () => {
  test('may depend on the record', async () => {
    const lost = await insert('books', {
      account_id: annaId,
      title: 'Lost',
      status: 'lost',
      shelf_id: shelf,
      created_at: new Date(0),
    });
    expect((await anna.get(`/books/${lost}`)).resource.meta).toEqual({ lost_for: 'a while' });
    expect((await bookWith({})).resource).not.toHaveProperty('meta');
  });
});

describe('relationship endpoints', () => {
  test('can be switched off: the links are shown but not routed', async () => {
    const { relationships } = (await anna.get(`/clubs/${club}?include=leader`)).resource;
    expect(relationships.leader?.data).toEqual({ type: 'readers', id: ada });
    for (const link of Object.values(relationships.leader?.links ?? {}))
      expect((await anna.get(link)).status).toBe(404);
  });

  test('of a to-many through a joining table', async () => {
    const bea = await insert('readers', { account_id: annaId, name: 'Bea' });
    const reviewers = [bea, ada].map((id) => ({ type: 'readers', id }));
    const { id } = (await bookWith({ reviewers: { data: reviewers } })).resource;
    const related = await anna.get(`/books/${id}/reviewers`);
    expect(related.resources.map(({ attributes }) => attributes.name)).toEqual(['Ada', 'Bea']);
    expect(related.links.first).toBe(`${anna.baseUrl}/books/${id}/reviewers?page%5Bnumber%5D=1&page%5Bsize%5D=50`);
    expect((await anna.get(`/books/${id}/relationships/reviewers`)).body.data).toEqual(reviewers.reverse());
  });
});

describe('open types and switched-off ones', () => {
  test('an open type needs no key', async () => {
    const { resources, meta } = await library.nobody.get('/notices');
    expect(resources.map(({ attributes }) => attributes.text)).toEqual(['Closed on Sundays']);
    expect(meta).toEqual({ total_records: 1, api_version: '2030-01-01' });
    expect((await library.nobody.get('/books')).status).toBe(401);
  });

  test('a guard refuses the whole type', async () => {
    for (const path of ['/vaults', `/vaults/${shelf}`]) {
      const response = await anna.get(path);
      expect([response.status, response.errors]).toEqual([
        403,
        [{ title: 'Forbidden', detail: 'The vaults are closed.', code: '403', status: '403' }],
      ]);
    }
  });
});

describe('tenancy', () => {
  test("another account's record is not there: read, update, delete, linkage, related", async () => {
    const { id } = (await bookWith({})).resource;
    const detail = `The record identified by ${id} could not be found.`;
    const body = { data: { type: 'books', id, attributes: { title: 'Mine' } } };
    const responses = [
      await ben.get(`/books/${id}`),
      await ben.patch(`/books/${id}`, body),
      await ben.delete(`/books/${id}`),
      await ben.get(`/books/${id}/shelf`),
      await ben.get(`/books/${id}/relationships/shelf`),
    ];
    expect(responses.map(({ status, errors }) => [status, errors[0]?.detail])).toEqual(
      responses.map(() => [404, detail]),
    );
    expect((await anna.get(`/books/${id}`)).resource.attributes.title).toBe('Emma');
  });

  test('lists, totals and filters see the own records only', async () => {
    const { id } = (await bookWith({})).resource;
    for (const query of ['', `?filter[id]=${id}`, `?filter[shelf.id]=${shelf}`]) {
      const response = await ben.get(`/books${query}`);
      expect([response.resources, response.meta.total_records]).toEqual([[], 0]);
    }
  });

  test("another account's record cannot be linked to", async () => {
    const response = await ben.post('/books', {
      data: {
        type: 'books',
        attributes: { title: 'x' },
        relationships: { shelf: { data: { type: 'shelves', id: shelf } } },
      },
    });
    expect([response.status, response.errors[0]?.detail]).toEqual([422, 'shelf - is invalid']);
  });

  test('what is linked across accounts is neither linked nor included', async () => {
    const stray = await insert('clubs', { account_id: benId, name: 'Stray', leader_id: ada });
    const response = await ben.get(`/clubs/${stray}?include=leader`);
    expect([response.resource.relationships.leader?.data, response.included]).toEqual([null, []]);
  });
});

describe('time filters', () => {
  const count = async (query: string) => (await anna.get(`/shelves?${query}`)).meta.total_records;

  test('at least and at most, a day alone reaching to its end where declared', async () => {
    expect(await count('filter[created_at_gteq]=2030-01-01')).toBe(1);
    expect(await count('filter[created_at_gteq]=2030-01-01T12:00:01Z')).toBe(0);
    expect(await count('filter[created_at_gteq]=2030-01-01T14:00:00%2B02:00')).toBe(1);
    expect(await count('filter[created_at_lteq]=2030-01-01')).toBe(1);
    expect(await count('filter[created_at_lteq]=2029-12-31')).toBe(0);
    expect((await anna.get('/shelves?filter[created_at_gteq]=yesterday')).errors[0]?.code).toBe('107');
  });
});
