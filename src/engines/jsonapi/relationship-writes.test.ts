/** Relationships written at their own URLs. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../test/support/client.ts';
import { annaId, benId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let book: string;
let readers: string[];

beforeAll(async () => {
  anna = library.anna;
});
beforeEach(async () => {
  await library.pool.query('truncate shelves, books, readers, clubs cascade');
  const shelf = await anna.post('/shelves', { data: { type: 'shelves', attributes: { name: 'First' } } });
  const relationships = { shelf: { data: { type: 'shelves', id: shelf.resource.id } } };
  book = (await anna.post('/books', { data: { type: 'books', attributes: { title: 'Emma' }, relationships } })).resource
    .id;
  readers = await Promise.all(['Ann', 'Bob', 'Cy'].map((name) => addReader(name)));
});

async function addReader(name: string, account = annaId): Promise<string> {
  const inserted = await library.pool.query('insert into readers (account_id, name) values ($1, $2) returning id', [
    account,
    name,
  ]);
  return inserted.rows[0].id;
}

const url = (name: string) => `/books/${book}/relationships/${name}`;
const link = (id: string | undefined, type = 'readers') => ({ type, id });
const change = (method: string, data: unknown, name = 'reviewers') => anna.request(method, url(name), { data });
const linked = async (name = 'reviewers') => (await anna.get(url(name))).body.data;

describe('a to-many relationship', () => {
  test('PATCH replaces its members, and an empty list removes them all', async () => {
    const [ann, bob, cy] = readers;
    const response = await change('PATCH', [link(ann), link(bob)]);
    expect([response.status, response.text]).toEqual([204, '']);
    await change('PATCH', [link(bob), link(cy)]);
    expect(await linked()).toEqual([link(bob), link(cy)]);
    await change('PATCH', []);
    expect(await linked()).toEqual([]);
  });

  test('POST adds members, each once', async () => {
    const [ann, bob] = readers;
    expect((await change('POST', [link(ann)])).status).toBe(204);
    expect((await change('POST', [link(ann), link(bob)])).status).toBe(204);
    expect(await linked()).toEqual([link(ann), link(bob)]);
  });

  test('DELETE removes members, and ignores what is none', async () => {
    const [ann, bob, cy] = readers;
    await change('PATCH', [link(ann), link(bob)]);
    expect((await change('DELETE', [link(ann), link(cy)])).status).toBe(204);
    expect((await change('DELETE', [link('no-id-at-all')])).status).toBe(204);
    expect(await linked()).toEqual([link(bob)]);
  });

  test('its other attributes and relationships stay as they are', async () => {
    const before = (await anna.get(`/books/${book}?include=shelf,keeper`)).resource;
    await change('POST', [link(readers[0])]);
    expect((await anna.get(`/books/${book}?include=shelf,keeper`)).resource).toEqual(before);
  });
});

describe('a to-one relationship', () => {
  test('PATCH sets it, and null clears it', async () => {
    expect((await change('PATCH', link(readers[0]), 'keeper')).status).toBe(204);
    expect(await linked('keeper')).toEqual(link(readers[0]));
    expect((await change('PATCH', null, 'keeper')).status).toBe(204);
    expect(await linked('keeper')).toBeNull();
  });

  test.each(['POST', 'DELETE'])('%s is 405', async (method) => {
    const response = await change(method, link(readers[0]), 'keeper');
    expect([response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([
      405,
      ['GET', 'HEAD', 'OPTIONS', 'PATCH'],
    ]);
  });

  test('one that can only be detached takes null alone', async () => {
    expect((await change('PATCH', null, 'warrant')).status).toBe(204);
    const refused = await change('PATCH', link(readers[0]), 'warrant');
    expect([refused.status, refused.errors[0]?.source]).toEqual([422, { pointer: '/data' }]);
  });
});

describe('refusals', () => {
  test.each([
    ['no document', 'PATCH', undefined, '106'],
    ['no data', 'POST', {}, '106'],
    ['an unknown member', 'PATCH', { data: [], colour: 1 }, '105'],
    ['one identifier where there are many', 'POST', { data: { type: 'readers', id: benId } }, '115'],
    ['null where there are many', 'DELETE', { data: null }, '115'],
    ['an identifier without an id', 'POST', { data: [{ type: 'readers' }] }, '115'],
    ['another type', 'DELETE', { data: [{ type: 'shelves', id: benId }] }, '116'],
  ])('%s is 400', async (_case, method, body, code) => {
    const response = await anna.request(method, url('reviewers'), body, {
      ...(body === undefined ? { headers: { 'content-type': 'application/vnd.api+json' } } : {}),
    });
    expect([response.status, response.errors.map((error) => error.code)]).toEqual([400, [code]]);
  });

  test.each(['PATCH', 'POST'])('%s of an unknown or foreign record is 422 at /data', async (method) => {
    for (const id of [benId, await addReader('Dora', benId)]) {
      const response = await change(method, [link(id)]);
      expect([response.status, response.errors]).toEqual([
        422,
        [
          {
            title: 'is invalid',
            detail: 'reviewers - is invalid',
            code: '100',
            source: { pointer: '/data' },
            status: '422',
          },
        ],
      ]);
    }
  });

  test('too many members are 422 at /data', async () => {
    const response = await change(
      'PATCH',
      readers.map((id) => link(id)),
    );
    expect([response.status, response.errors[0]?.source]).toEqual([422, { pointer: '/data' }]);
  });

  test('a document of another media type is 415, also with DELETE', async () => {
    for (const method of ['PATCH', 'POST', 'DELETE']) {
      const options = { rawBody: '{"data":[]}', headers: { 'content-type': 'application/json' } };
      expect((await anna.request(method, url('reviewers'), undefined, options)).status).toBe(415);
    }
  });

  test('parameters are 400', async () => {
    const response = await anna.patch(`${url('reviewers')}?include=reviewers`, { data: [] });
    expect([response.status, response.errors[0]?.code]).toEqual([400, '105']);
  });

  test('what is unknown, or somebody else’s, is 404; no key is 401', async () => {
    expect((await change('PATCH', null, 'publisher')).status).toBe(404);
    expect((await anna.patch(`/books/${benId}/relationships/reviewers`, { data: [] })).status).toBe(404);
    expect((await library.ben.post(url('reviewers'), { data: [] })).status).toBe(404);
    expect((await library.nobody.post(url('reviewers'), { data: [] })).status).toBe(401);
  });

  test('a relationship that cannot be written through its record is 403', async () => {
    const [shelf] = (await anna.get('/shelves')).resources;
    const books = `/shelves/${shelf?.id}/relationships/books`;
    const replaced = await anna.patch(books, { data: [] });
    expect([replaced.status, replaced.errors]).toEqual([
      403,
      [
        {
          title: 'Complete replacement forbidden',
          detail: 'Complete replacement forbidden for this relationship',
          code: '403',
          status: '403',
        },
      ],
    ]);
    expect((await change('PATCH', null, 'shelf')).errors).toEqual(replaced.errors);
    for (const method of ['POST', 'DELETE']) {
      const response = await anna.request(method, books, { data: [] });
      expect([response.status, response.errors[0]?.detail]).toEqual([
        403,
        'The members of this relationship cannot be changed.',
      ]);
    }
    expect((await anna.put(books, { data: [] })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});
