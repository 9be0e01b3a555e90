/** Create, update and delete through the engine. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../test/support/client.ts';
import { engineContext } from '../../../test/support/engine-context.ts';
import { annaId, benId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { updateRow } from './store.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let shelf: string;

beforeAll(async () => {
  anna = library.anna;
});
beforeEach(async () => {
  await library.pool.query('truncate shelves, books, readers, clubs cascade');
  shelf = (await anna.post('/shelves', { data: { type: 'shelves', attributes: { name: 'First' } } })).resource.id;
});

const shelfLink = () => ({ shelf: { data: { type: 'shelves', id: shelf } } });
const createBook = (attributes: object = { title: 'Emma' }, relationships: object = shelfLink(), query = '') =>
  anna.post(`/books${query}`, { data: { type: 'books', attributes, relationships } });
const update = (type: string, id: string, changes: object) => ({ data: { type, id, ...changes } });
const reader = async (name: string, account = annaId) =>
  String(
    (await library.pool.query('insert into readers (account_id, name) values ($1, $2) returning id', [account, name]))
      .rows[0].id,
  );

describe('create', () => {
  test('answers 201 with the whole document and no Location', async () => {
    const response = await anna.post('/shelves', {
      data: { type: 'shelves', attributes: { name: 'Second', room: 'Hall', tags: ['low', 'wide'] } },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBeNull();
    expect(response.resource.attributes).toEqual({
      name: 'Second',
      room: 'Hall',
      capacity: 10,
      tags: ['low', 'wide'],
      lamp: null,
      created_at: '2030-01-01T12:00:00.000Z',
    });
    expect((await anna.get(`/shelves/${response.resource.id}`)).resource).toEqual(response.resource);
  });

  test('has no read meta, which reads and lists have', async () => {
    const response = await anna.post('/shelves', { data: { type: 'shelves', attributes: { name: 'Second' } } });
    expect(response.meta).toEqual({ api_version: '2030-01-01' });
    expect((await anna.get(`/shelves/${response.resource.id}`)).meta).toEqual({
      places_left: 3,
      api_version: '2030-01-01',
    });
    expect((await anna.get('/shelves')).meta).toEqual({ total_records: 2, places_left: 3, api_version: '2030-01-01' });
  });

  test('takes include and fieldsets', async () => {
    const response = await createBook({ title: 'Emma' }, shelfLink(), '?include=shelf&fields[shelves]=name');
    expect(response.resource.relationships.shelf?.data).toEqual({ type: 'shelves', id: shelf });
    expect(response.included).toEqual([
      { id: shelf, type: 'shelves', attributes: { name: 'First' }, meta: { book_count: 1 } },
    ]);
  });

  test('linkage is not shown unless it was asked for', async () => {
    expect((await createBook()).resource.relationships.shelf).not.toHaveProperty('data');
  });

  test('write-only members are taken and never shown', async () => {
    const response = await createBook({ title: 'Emma', silent: true });
    expect(response.status).toBe(201);
    expect(response.resource.attributes).not.toHaveProperty('silent');
  });

  test('values may be sent leniently: numbers and booleans as text, empty text for null', async () => {
    const response = await anna.post('/shelves', {
      data: { type: 'shelves', attributes: { name: 'Lenient', capacity: '7', room: '' } },
    });
    expect([response.resource.attributes.capacity, response.resource.attributes.room]).toEqual([7, null]);
  });

  test('an empty list may stand for an empty map', async () => {
    const response = await anna.post('/shelves', {
      data: { type: 'shelves', attributes: { name: 'L' }, relationships: [] },
    });
    expect(response.status).toBe(201);
  });

  test('members that JSON:API itself knows are tolerated at the top', async () => {
    const response = await anna.post('/shelves', {
      jsonapi: { version: '1.0' },
      meta: {},
      data: { type: 'shelves', attributes: { name: 'Polite' } },
    });
    expect(response.status).toBe(201);
  });

  test('money stays exact', async () => {
    expect((await createBook({ title: 'Emma', price: '0.1900' })).resource.attributes.price).toBe('0.19');
    expect((await createBook({ title: 'Emma', price: '12345678.9' })).resource.attributes.price).toBe('12345678.9');
  });
});

describe('update', () => {
  test('leaves what is not sent, and null clears', async () => {
    const { id } = (await anna.post('/shelves', { data: { type: 'shelves', attributes: { name: 'B', room: 'Hall' } } }))
      .resource;
    const renamed = await anna.patch(`/shelves/${id}`, update('shelves', id, { attributes: { name: 'C' } }));
    expect([renamed.status, renamed.resource.attributes.name, renamed.resource.attributes.room]).toEqual([
      200,
      'C',
      'Hall',
    ]);
    const cleared = await anna.patch(`/shelves/${id}`, update('shelves', id, { attributes: { room: null } }));
    expect([cleared.resource.attributes.name, cleared.resource.attributes.room]).toEqual(['C', null]);
  });

  test('PUT is the same as PATCH', async () => {
    const response = await anna.put(`/shelves/${shelf}`, update('shelves', shelf, { attributes: { room: 'Attic' } }));
    expect([response.status, response.resource.attributes.name, response.resource.attributes.room]).toEqual([
      200,
      'First',
      'Attic',
    ]);
  });

  test('takes include', async () => {
    const { id } = (await createBook()).resource;
    const emma = await reader('Ada');
    const relationships = { reviewers: { data: [{ type: 'readers', id: emma }] } };
    const response = await anna.patch(`/books/${id}?include=reviewers,shelf`, update('books', id, { relationships }));
    expect(response.resource.relationships.reviewers?.data).toEqual([{ type: 'readers', id: emma }]);
    expect(response.included.map(({ type }) => type).sort()).toEqual(['readers', 'shelves']);
  });

  test('a to-many is replaced as a whole', async () => {
    const [ada, bea] = [await reader('Ada'), await reader('Bea')];
    const { id } = (
      await createBook({ title: 'E' }, { ...shelfLink(), reviewers: { data: [{ type: 'readers', id: ada }] } })
    ).resource;
    const set = (ids: string[]) =>
      anna.patch(
        `/books/${id}?include=reviewers`,
        update('books', id, {
          relationships: { reviewers: { data: ids.map((each) => ({ type: 'readers', id: each })) } },
        }),
      );
    expect((await set([bea])).resource.relationships.reviewers?.data).toEqual([{ type: 'readers', id: bea }]);
    expect((await set([])).resource.relationships.reviewers?.data).toEqual([]);
  });

  test('ids are compared without regard to case', async () => {
    const upper = shelf.toUpperCase();
    const response = await anna.patch(`/shelves/${upper}`, update('shelves', shelf, { attributes: { room: 'Attic' } }));
    expect([response.status, response.resource.id]).toEqual([200, shelf]);
    const linked = await createBook(
      { title: 'E' },
      { shelf: { data: { type: 'shelves', id: upper } } },
      '?include=shelf',
    );
    expect(linked.resource.relationships.shelf?.data).toEqual({ type: 'shelves', id: shelf });
  });
});

describe('delete', () => {
  test('answers 204 without body or Content-Type, and the record is gone', async () => {
    const { id } = (await createBook()).resource;
    const response = await anna.delete(`/books/${id}`);
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([204, '', null]);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect((await anna.get(`/books/${id}`)).status).toBe(404);
    expect((await anna.delete(`/books/${id}`)).status).toBe(404);
  });

  test('a Content-Type on it is tolerated', async () => {
    const { id } = (await createBook()).resource;
    expect(
      (await anna.delete(`/books/${id}`, { headers: { 'content-type': 'application/vnd.api+json' } })).status,
    ).toBe(204);
  });
});

describe('an error changes nothing', () => {
  test('a refused update leaves the record as it was', async () => {
    const before = (await anna.get(`/shelves/${shelf}`)).text;
    const refused = await anna.patch(
      `/shelves/${shelf}`,
      update('shelves', shelf, { attributes: { room: 'X', capacity: 0 } }),
    );
    expect(refused.status).toBe(422);
    expect((await anna.get(`/shelves/${shelf}`)).text).toBe(before);
  });

  test('a query that is not valid stops a create', async () => {
    expect((await createBook({ title: 'Emma' }, shelfLink(), '?include=planets')).errors[0]?.code).toBe('112');
    expect((await anna.get('/books')).meta.total_records).toBe(0);
  });
});

test('a stored update reaches no row of another account, whoever let the id through', async () => {
  const context = (accountId: string) =>
    engineContext({
      tenant: { accountId },
      query: async (text, values) => (await library.pool.query(text, [...values])).rows,
    });
  const roomOf = async () => (await anna.get(`/shelves/${shelf}`)).resource.attributes.room;
  await updateRow(context(benId), 'shelves', shelf, { room: 'Taken' });
  expect(await roomOf()).not.toBe('Taken');
  await updateRow(context(annaId), 'shelves', shelf, { room: 'Mine' });
  expect(await roomOf()).toBe('Mine');
});
