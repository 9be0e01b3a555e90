/** Errors of writes, with their codes and pointers. */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, ApiClient } from '../../../test/support/client.ts';
import { openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let shelf: string;
let book: string;

beforeAll(async () => {
  anna = library.anna;
  shelf = (await anna.post('/shelves', { data: { type: 'shelves', attributes: { name: 'First' } } })).resource.id;
  const relationships = { shelf: { data: { type: 'shelves', id: shelf } } };
  book = (await anna.post('/books', { data: { type: 'books', attributes: { title: 'Emma' }, relationships } })).resource
    .id;
});

const unknownId = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
const line = (answer: Answer) => [
  answer.status,
  ...answer.errors.map(({ code, title, detail, source }) =>
    [code, title, detail, ...(source ? [source.pointer] : [])].join(' | '),
  ),
];
const post = async (body: unknown) => line(await anna.post('/shelves', body));
const shelfWith = (attributes: object) => post({ data: { type: 'shelves', attributes } });
const patchBook = async (data: object) => line(await anna.patch(`/books/${book}`, { data }));
const relate = (relationships: object) => patchBook({ type: 'books', id: book, relationships });

test.each(['0000-01-01', '0000-12-31T00:00:00Z'])(
  '100 a day of year 0, which no calendar has: %s',
  async (published) => {
    expect(await patchBook({ type: 'books', id: book, attributes: { published } })).toEqual([
      422,
      '100 | is invalid | published - is invalid | /data/attributes/published',
    ]);
  },
);

describe('the request document', () => {
  test('101 another type', async () => {
    expect(await post({ data: { type: 'planets' } })).toEqual([
      400,
      '101 | Invalid resource | planets is not a valid resource.',
    ]);
    expect(await post({ data: { type: 'books', attributes: { name: 'x' } } })).toEqual([
      400,
      '101 | Invalid resource | books is not a valid resource.',
    ]);
  });

  test('105 members it does not take, one error each', async () => {
    const answer = await post({
      data: { type: 'shelves', attributes: { name: 'x', colour: 'red', created_at: 'now', id: 1 } },
    });
    expect(answer).toEqual([
      400,
      '105 | Param not allowed | colour is not allowed.',
      '105 | Param not allowed | created_at is not allowed.',
      '105 | Param not allowed | id is not allowed.',
    ]);
  });

  test('105 on every level: top, data, relationships, and an id on create', async () => {
    const body = {
      extra: 1,
      data: {
        type: 'shelves',
        id: unknownId,
        more: 2,
        attributes: { name: 'x' },
        relationships: { planet: { data: null } },
      },
    };
    expect(await post(body)).toEqual([
      400,
      '105 | Param not allowed | extra is not allowed.',
      '105 | Param not allowed | id is not allowed.',
      '105 | Param not allowed | more is not allowed.',
      '105 | Param not allowed | planet is not allowed.',
    ]);
  });

  test('105 what may be written at another time only', async () => {
    expect(await relate({ shelf: { data: { type: 'shelves', id: shelf } } })).toEqual([
      400,
      '105 | Param not allowed | shelf is not allowed.',
    ]);
  });

  test('105 a name every object has', async () => {
    const rawBody = '{"data":{"type":"shelves","attributes":{"name":"x","__proto__":{"room":"y"},"constructor":1}}}';
    expect(line(await anna.post('/shelves', undefined, { rawBody }))).toEqual([
      400,
      '105 | Param not allowed | __proto__ is not allowed.',
      '105 | Param not allowed | constructor is not allowed.',
    ]);
  });

  test('105 such a name with an empty list, which an update would take for an empty map', async () => {
    const attributes = { toString: [], valueOf: [] };
    expect(await patchBook({ type: 'books', id: book, attributes })).toEqual([
      400,
      '105 | Param not allowed | toString is not allowed.',
      '105 | Param not allowed | valueOf is not allowed.',
    ]);
  });

  test.each([[{}], [[]], [null], ['text'], [{ attributes: {} }]])('106 no data: %j', async (body) => {
    expect(await post(body)).toEqual([400, '106 | Missing Parameter | The required parameter, data, is missing.']);
  });

  test('106 no type', async () => {
    expect(await post({ data: { attributes: { name: 'x' } } })).toEqual([
      400,
      '106 | Missing Parameter | The required parameter, type, is missing.',
    ]);
  });

  test('101 and 110 what is no text, even if it cannot become one', async () => {
    const odd = { toString: 0, valueOf: 0 };
    expect(await patchBook({ type: odd, id: odd, attributes: {} })).toEqual([
      400,
      '110 | Key is not included in URL | The URL does not support the key {"toString":0,"valueOf":0}',
      '101 | Invalid resource | {"toString":0,"valueOf":0} is not a valid resource.',
    ]);
  });

  test('109 an update without id, 110 with another', async () => {
    expect(await patchBook({ type: 'books', attributes: {} })).toEqual([
      400,
      '109 | A key is required | The resource object does not contain a key.',
    ]);
    expect(await patchBook({ type: 'books', id: unknownId })).toEqual([
      400,
      `110 | Key is not included in URL | The URL does not support the key ${unknownId}`,
    ]);
  });

  test.each([
    ['reviewers', null],
    ['reviewers', { type: 'readers', id: unknownId }],
    ['reviewers', [{ type: 'readers' }]],
    ['keeper', []],
    ['keeper', 'text'],
    ['keeper', { id: unknownId }],
    ['keeper', { type: 'readers', id: {} }],
  ])('115 linkage of %s that is none: %j', async (name, data) => {
    expect(await relate({ [name]: { data } })).toEqual([
      400,
      '115 | Invalid Links Object | Data is not a valid Links Object.',
    ]);
  });

  test('115 a relationship without data', async () => {
    expect(await relate({ keeper: {} })).toEqual([
      400,
      '115 | Invalid Links Object | Data is not a valid Links Object.',
    ]);
    expect(await relate({ keeper: null })).toEqual([
      400,
      '115 | Invalid Links Object | Data is not a valid Links Object.',
    ]);
  });

  test('116 linkage to another type', async () => {
    expect(await relate({ keeper: { data: { type: 'shelves', id: shelf } } })).toEqual([
      400,
      '116 | Type Mismatch | shelves is not a valid type for this operation.',
    ]);
  });

  test.each([[[]], ['text'], [5], [null]])('122 data that is no object: %j', async (data) => {
    expect(await post({ data })).toEqual([400, '122 | Invalid data format | Data must be a hash.']);
  });

  test('122 attributes that are no object', async () => {
    expect(await post({ data: { type: 'shelves', attributes: ['x'] } })).toEqual([
      400,
      '122 | Invalid data format | Data must be a hash.',
    ]);
  });

  test('404 comes before what the body says', async () => {
    expect(line(await anna.patch(`/books/${unknownId}`, { data: {} }))).toEqual([
      404,
      `404 | Record not found | The record identified by ${unknownId} could not be found.`,
    ]);
  });
});

describe('validation: 422 code 100', () => {
  const at = (name: string, message: string) => `100 | ${message} | ${name} - ${message} | /data/attributes/${name}`;
  const linked = (name: string, message: string) =>
    `100 | ${message} | ${name} - ${message} | /data/relationships/${name}`;

  test.each([
    [{}, at('name', "can't be blank")],
    [{ name: null }, at('name', "can't be blank")],
    [{ name: '' }, at('name', "can't be blank")],
    [{ name: '   ' }, at('name', "can't be blank")],
    [{ name: { deep: 1 } }, at('name', 'is invalid')],
    [{ name: 'x'.repeat(21) }, at('name', 'is too long (maximum is 20 characters)')],
    [{ name: 'x', capacity: 0 }, at('capacity', 'must be greater than or equal to 1')],
    [{ name: 'x', capacity: 101 }, at('capacity', 'must be less than or equal to 100')],
    [{ name: 'x', capacity: 'many' }, at('capacity', 'is not a number')],
    [{ name: 'x', capacity: 1.5 }, at('capacity', 'is not a number')],
    [{ name: 'x', tags: ['round'] }, at('tags', 'is invalid')],
    [{ name: 'x', tags: 'low' }, at('tags', 'is invalid')],
    [{ name: 'x', tags: ['low', 'low'] }, at('tags', 'is invalid')],
    [{ name: 'x', tags: ['low', 'high', 'wide'] }, at('tags', 'is invalid')],
  ])('%j', async (attributes, error) => {
    expect(await shelfWith(attributes)).toEqual([422, error]);
  });

  test('one error per problem, in one response', async () => {
    expect(await shelfWith({ capacity: 0, tags: ['round'] })).toEqual([
      422,
      at('name', "can't be blank"),
      at('capacity', 'must be greater than or equal to 1'),
      at('tags', 'is invalid'),
    ]);
  });

  test('what is not accepted (400) is answered before what is not valid (422)', async () => {
    expect(await shelfWith({ capacity: 0, colour: 'red' })).toEqual([
      400,
      '105 | Param not allowed | colour is not allowed.',
    ]);
  });

  test('121 a text that the database cannot keep in its index', async () => {
    const title = randomBytes(8000).toString('hex');
    expect(await patchBook({ type: 'books', id: book, attributes: { title } })).toEqual([
      422,
      '121 | Save failed or was cancelled | Save failed or was cancelled',
    ]);
  });

  test('a name that is taken', async () => {
    expect(await shelfWith({ name: 'First' })).toEqual([422, at('name', 'has already been taken')]);
  });

  test('wire key order of an error: title, detail, code, source, status', async () => {
    const { errors } = await anna.post('/shelves', { data: { type: 'shelves' } });
    expect(Object.keys(errors[0] ?? {})).toEqual(['title', 'detail', 'code', 'source', 'status']);
  });

  test('dates, money and linked records', async () => {
    const answer = await patchBook({
      type: 'books',
      id: book,
      attributes: { price: '1,50', published: '2026-02-30' },
      relationships: { warrant: { data: { type: 'readers', id: unknownId } } },
    });
    expect(answer).toEqual([
      422,
      at('price', 'is not a number'),
      at('published', 'is invalid'),
      linked('warrant', 'is invalid'),
    ]);
  });

  test.each(['2026-13-01', '2026-00-00', '2026-2-3', 'tomorrow', 5])('a date that is none: %j', async (published) => {
    const answer = await patchBook({ type: 'books', id: book, attributes: { published } });
    expect(answer).toEqual([422, at('published', 'is invalid')]);
  });

  test('a relationship that is required, or may not be cleared', async () => {
    const answer = await anna.post('/books', { data: { type: 'books', attributes: { title: 'x' } } });
    expect(line(answer)).toEqual([422, linked('shelf', "can't be blank")]);
    const cleared = await anna.post('/books', {
      data: { type: 'books', attributes: { title: 'x' }, relationships: { shelf: { data: null } } },
    });
    expect(line(cleared)).toEqual([422, linked('shelf', "can't be blank")]);
  });

  test('a link to nothing, and too many links', async () => {
    expect(await relate({ keeper: { data: { type: 'readers', id: unknownId } } })).toEqual([
      422,
      linked('keeper', 'is invalid'),
    ]);
    expect(await relate({ keeper: { data: { type: 'clubs', id: 'no uuid' } } })).toEqual([
      422,
      linked('keeper', 'is invalid'),
    ]);
    const data = ['1', '2', '3'].map((digit) => ({ type: 'readers', id: unknownId.replace('f', digit) }));
    expect(await relate({ reviewers: { data } })).toEqual([422, linked('reviewers', 'is invalid')]);
  });

  test('null is always a link that only detaches', async () => {
    expect(await relate({ warrant: { data: null } })).toEqual([200]);
  });
});
