/** Documents as they are read: member order, linkage, include, sparse fieldsets, and the URLs of relationships. */

import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../test/support/client.ts';
import { annaId, openLibrary } from '../../../test/support/library/server.ts';
import { statementsDuring } from '../../../test/support/statements.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let get: ApiClient['get'];
let hall: string;
let empty: string;
let emma: string;
let faust: string;
let ada: string;

const insert = async (table: string, values: Record<string, unknown>): Promise<string> => {
  const row = { account_id: annaId, ...values };
  const places = Object.keys(row).map((_, index) => `$${index + 1}`);
  const text = `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')}) returning id`;
  return String((await library.pool.query(text, Object.values(row))).rows[0].id);
};

beforeAll(async () => {
  anna = library.anna;
  get = anna.get;
  const created_at = new Date('2030-01-01T12:00:00Z');
  hall = await insert('shelves', { name: 'Hall', created_at });
  empty = await insert('shelves', { name: 'Empty', created_at });
  ada = await insert('readers', { name: 'Ada' });
  const bea = await insert('readers', { name: 'Bea' });
  faust = await insert('books', { shelf_id: hall, title: 'Faust', created_at });
  emma = await insert('books', { shelf_id: hall, title: 'Emma', keeper_type: 'readers', keeper_id: ada, created_at });
  for (const reader of [bea, ada])
    await library.pool.query('insert into book_reviewers values ($1, $2)', [emma, reader]);
});

const link = (type: string, id: string) => ({ type, id });
const kinds = (resources: readonly { type: string; attributes: Record<string, unknown> }[]) =>
  resources.map(({ type, attributes }) => `${type} ${attributes.name ?? attributes.title}`);

describe('member order', () => {
  test('of a single document, to the byte', async () => {
    const at = (name: string) => {
      const base = `${anna.baseUrl}/books/${emma}`;
      return { links: { self: `${base}/relationships/${name}`, related: `${base}/${name}` } };
    };
    expect((await get(`/books/${emma}?include=shelf&fields[shelves]=`)).text).toBe(
      JSON.stringify({
        data: {
          id: emma,
          type: 'books',
          attributes: {
            title: 'Emma',
            price: '0.0',
            published: null,
            status: 'there',
            copies: [],
            created_at: '2030-01-01T12:00:00.000Z',
          },
          relationships: {
            shelf: { ...at('shelf'), data: link('shelves', hall) },
            keeper: at('keeper'),
            reviewers: at('reviewers'),
            warrant: at('warrant'),
          },
        },
        included: [{ id: hall, type: 'shelves', meta: { book_count: 2 } }],
        meta: { api_version: '2030-01-01' },
      }),
    );
  });

  test('of collections, with and without pages', async () => {
    expect(Object.keys((await get('/books?include=shelf')).body)).toEqual(['data', 'included', 'meta', 'links']);
    expect(Object.keys((await library.nobody.get('/notices')).body)).toEqual(['data', 'meta']);
    const { meta } = await get('/shelves');
    expect(Object.keys(meta)).toEqual(['total_records', 'places_left', 'api_version']);
  });

  test('a type without relationships has no such member, and meta comes last', async () => {
    expect(Object.keys((await get(`/readers/${ada}`)).resource)).toEqual(['id', 'type', 'attributes']);
    const shelf = (await get(`/shelves/${hall}`)).resource;
    expect(Object.keys(shelf)).toEqual(['id', 'type', 'attributes', 'relationships', 'meta']);
  });
});

describe('linkage', () => {
  test('is there only where include asked for it; empty is null or an empty list', async () => {
    const { relationships } = (await get(`/books/${faust}?include=keeper,reviewers`)).resource;
    expect([relationships.keeper?.data, relationships.reviewers?.data]).toEqual([null, []]);
    expect(Object.keys(relationships.shelf ?? {})).toEqual(['links']);
  });

  test('of a to-many stands in the order of its type, in included too', async () => {
    const { resource, included } = await get(`/books/${emma}?include=reviewers`);
    expect(kinds(included)).toEqual(['readers Ada', 'readers Bea']);
    expect(resource.relationships.reviewers?.data).toEqual(included.map(({ type, id }) => link(type, id)));
  });

  test('inside included follows the path', async () => {
    const { included } = await get(`/books/${emma}?include=shelf.books`);
    const shelf = included.find(({ type }) => type === 'shelves');
    expect(shelf?.relationships.books?.data).toEqual([link('books', emma), link('books', faust)]);
  });
});

describe('include', () => {
  test('brings each record once, never the primary ones again, in the order of the paths', async () => {
    const both = await get('/books?include=shelf.books,keeper,reviewers');
    expect(kinds(both.included)).toEqual(['shelves Hall', 'readers Ada', 'readers Bea']);
    expect(kinds((await get(`/books/${emma}?include=keeper,shelf`)).included)).toEqual(['readers Ada', 'shelves Hall']);
    expect(kinds((await get(`/books/${emma}?include=shelf,keeper`)).included)).toEqual(['shelves Hall', 'readers Ada']);
  });

  test('is an empty member if nothing is related, and no member without the parameter', async () => {
    expect((await get(`/books/${faust}?include=keeper`)).body.included).toEqual([]);
    expect((await get('/books?include=')).body).not.toHaveProperty('included');
    expect(kinds((await get(`/books/${emma}?include=,shelf,`)).included)).toEqual(['shelves Hall']);
  });
});

describe('sparse fieldsets', () => {
  test('narrow attributes and relationships, of included types too', async () => {
    const { resource, included } = await get(
      `/books/${emma}?include=keeper&fields[books]=title,shelf&fields[readers]=`,
    );
    expect(resource.attributes).toEqual({ title: 'Emma' });
    expect(Object.keys(resource.relationships)).toEqual(['shelf']);
    expect(included).toEqual([{ id: ada, type: 'readers' }]);
  });

  test('an empty value leaves the identity, and id is accepted as a name', async () => {
    for (const fields of ['', 'id']) {
      expect((await get(`/readers/${ada}?fields[readers]=${fields}`)).resource).toEqual({ id: ada, type: 'readers' });
    }
  });
});

describe('GET /{type}/{id}/relationships/{name}', () => {
  test('has links, data and meta, in this order', async () => {
    const base = `${anna.baseUrl}/books/${emma}`;
    expect((await get(`/books/${emma}/relationships/shelf`)).text).toBe(
      JSON.stringify({
        links: { self: `${base}/relationships/shelf`, related: `${base}/shelf` },
        data: link('shelves', hall),
        meta: { api_version: '2030-01-01' },
      }),
    );
  });

  test('empty is null or an empty list', async () => {
    expect((await get(`/books/${faust}/relationships/keeper`)).body.data).toBeNull();
    expect((await get(`/shelves/${empty}/relationships/books`)).body.data).toEqual([]);
  });
});

describe('GET /{type}/{id}/{name}', () => {
  test('a to-one is the related record, which can include and be narrowed; empty is null', async () => {
    const shelf = await get(`/books/${emma}/shelf?include=books&fields[shelves]=name`);
    expect([shelf.resource.attributes, shelf.included.length]).toEqual([{ name: 'Hall' }, 2]);
    expect((await get(`/books/${faust}/keeper`)).body).toEqual({ data: null, meta: { api_version: '2030-01-01' } });
    expect((await get(`/books/${faust}/keeper?include=planet`)).errors[0]?.code).toBe('112');
  });

  test('a to-many is a collection with its own filters, sort, pages and total', async () => {
    const books = await get(`/shelves/${hall}/books?sort=-title&page[size]=1&include=shelf`);
    expect([kinds(books.resources), kinds(books.included)]).toEqual([['books Faust'], ['shelves Hall']]);
    expect([books.meta.total_records, books.links.next]).toEqual([
      2,
      `${anna.baseUrl}/shelves/${hall}/books?include=shelf&page%5Bnumber%5D=2&page%5Bsize%5D=1&sort=-title`,
    ]);
    expect((await get(`/shelves/${hall}/books?filter[status]=lost`)).resources).toEqual([]);
    expect((await get(`/shelves/${hall}/books?filter[planet]=x`)).errors[0]?.code).toBe('102');
  });
});

describe('404', () => {
  test.each(['ffffffff-ffff-4fff-8fff-ffffffffffff', 'Hall'])('no such record: %s', async (id) => {
    for (const path of [`/shelves/${id}`, `/shelves/${id}/books`, `/shelves/${id}/relationships/books`]) {
      const { status, errors } = await get(path);
      expect([status, errors[0]?.title]).toEqual([404, 'Record not found']);
    }
  });

  test.each(['/planets', '/', ''])('no such path: %j', async (path) => {
    const { status, errors } = await get(path);
    expect([status, errors[0]?.detail]).toEqual([404, `The path /library${path} could not be found.`]);
  });

  test('no such relationship', async () => {
    expect((await get(`/shelves/${hall}/planets`)).status).toBe(404);
    expect((await get(`/shelves/${hall}/relationships/planets`)).status).toBe(404);
  });
});

test('the number of statements does not grow with the page', async () => {
  const statementsOf = async (path: string) => (await statementsDuring(library.pool, () => get(path))).length;
  expect(await statementsOf(`/books/${emma}`)).toBe(1);
  expect(await statementsOf('/books?page[size]=1')).toBe(1);
  expect(await statementsOf('/books')).toBe(1);
  expect(await statementsOf('/books?include=shelf.books,reviewers')).toBe(4);
});
