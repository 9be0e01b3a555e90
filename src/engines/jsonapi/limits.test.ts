/** Lengths of texts and numbers of links. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { annaId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { facts } from './facts.ts';
import { parseValue } from './parse-value.ts';

const library = useOpened(() => openLibrary());
let shelf: string;

beforeAll(async () => {
  shelf = (await createShelf({ name: 'First', room: 'x'.repeat(255) })).resource.id;
});

const createShelf = (attributes: object) => library.anna.post('/shelves', { data: { type: 'shelves', attributes } });

test.each([
  ['a text without a length of its own', facts('string'), 'x'.repeat(256), 'is too long (maximum is 255 characters)'],
  ['a length of the contract', facts('string', { maxLength: 3 }), 'four', 'is too long (maximum is 3 characters)'],
  [
    'free text',
    facts('string', { textLimit: 10_000 }),
    'x'.repeat(10_001),
    'is too long (maximum is 10000 characters)',
  ],
  ['an unknown word', facts('string', { enum: ['a'] }), 'x'.repeat(256), 'is invalid'],
  [
    'a list',
    facts('array', { items: { type: 'string' } }),
    Array(1001).fill('1'),
    'is too long (maximum is 1000 items)',
  ],
  ['a text in a list', facts('array', { items: { type: 'string' } }), ['x'.repeat(256)], 'is invalid'],
])('%s', (_name, declared, value, message) => {
  expect(parseValue(declared, value)).toEqual({ message });
});

test.each([
  ['255 characters', facts('string'), 'x'.repeat(255)],
  ['characters outside the basic plane count once', facts('string'), '😀'.repeat(255)],
  ['free text', facts('string', { textLimit: 10_000 }), 'x'.repeat(10_000)],
  ['a list', facts('array', { items: { type: 'string' } }), Array(1000).fill('1')],
])('accepted: %s', (_name, declared, value) => {
  expect(parseValue(declared, value)).toEqual({ value });
});

test('an attribute without a stated length takes 255 characters', async () => {
  const refused = await createShelf({ name: 'Second', room: 'x'.repeat(256) });
  expect([refused.status, refused.errors[0]?.detail, refused.errors[0]?.source]).toEqual([
    422,
    'room - is too long (maximum is 255 characters)',
    { pointer: '/data/attributes/room' },
  ]);
});

test('a text that was stored before there was a limit is still shown', async () => {
  await library.pool.query('update shelves set room = $1 where id = $2', ['x'.repeat(300), shelf]);
  expect((await library.anna.get(`/shelves/${shelf}`)).resource.attributes.room).toHaveLength(300);
});

test('a to-many relationship takes at most 1,000 links in one request', async () => {
  const data = Array.from({ length: 1001 }, () => ({ type: 'readers', id: randomUUID() }));
  const refused = await library.anna.post('/books', {
    data: {
      type: 'books',
      attributes: { title: 'Emma' },
      relationships: { shelf: { data: { type: 'shelves', id: shelf } }, reviewers: { data } },
    },
  });
  expect([refused.status, refused.errors[0]?.detail, refused.errors[0]?.source]).toEqual([
    422,
    'reviewers - is too long (maximum is 1000 items)',
    { pointer: '/data/relationships/reviewers' },
  ]);
});

test('a filter takes at most 1,000 values', async () => {
  const filter = (count: number) => library.anna.get(`/books?filter[status]=${Array(count).fill('lost').join(',')}`);
  expect((await filter(1000)).status).toBe(200);
  const refused = await filter(1001);
  expect([refused.status, refused.errors[0]?.code, refused.errors[0]?.detail]).toEqual([
    400,
    '107',
    'status takes at most 1000 values.',
  ]);
});

test('a to-many relationship may declare the fewest members, and that none is named twice', async () => {
  const { rows } = await library.pool.query(
    `insert into readers (account_id, name) values ($1, 'Ada'), ($1, 'Bea') returning id`,
    [annaId],
  );
  const [ada, bea] = rows.map(({ id }) => ({ type: 'readers', id }));
  const tour = async (data: unknown[]) => {
    const { status, errors } = await library.anna.post('/tours', {
      data: { type: 'tours', relationships: { guests: { data } } },
    });
    return [status, ...errors.map(({ detail }) => detail)];
  };
  expect(await tour([ada, bea])).toEqual([201]);
  expect(await tour([])).toEqual([422, "guests - can't be blank"]);
  expect(await tour([ada])).toEqual([422, 'guests - is invalid']);
  expect(await tour([ada, bea, ada])).toEqual([422, 'guests - is invalid']);
});
