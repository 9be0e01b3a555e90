/** Limits of include, of parameters and of pages. */
import { beforeAll, expect, test } from 'vitest';
import { annaId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let shelf: string;
const path = (levels: number) => Array.from({ length: levels }, (_each, n) => (n % 2 ? 'shelf' : 'books')).join('.');

beforeAll(async () => {
  for (const name of ['a', 'b', 'c']) {
    shelf = (await library.anna.post('/shelves', { data: { type: 'shelves', attributes: { name } } })).resource.id;
  }
});

test('include goes eight levels deep and no deeper', async () => {
  expect((await library.anna.get(`/shelves?include=${path(8)}`)).status).toBe(200);
  const deeper = await library.anna.get(`/shelves?include=${path(9)}`);
  expect([deeper.status, deeper.errors[0]?.code]).toEqual([400, '112']);
});

test('include names only so many paths', async () => {
  const wide = await library.anna.get(`/shelves?include=${Array(51).fill('books').join(',')}`);
  expect([wide.status, wide.errors[0]?.code]).toEqual([400, '112']);
});

test('linkage and DELETE check parameters, and pages of a single record are ignored', async () => {
  const linkage = `/shelves/${shelf}/relationships/books`;
  expect((await library.anna.get(`${linkage}?planet=1`)).errors[0]?.code).toBe('105');
  expect((await library.anna.get(`${linkage}?filter[planet]=1`)).errors[0]?.code).toBe('102');
  expect((await library.anna.delete(`/books/${shelf}?planet=1`)).errors[0]?.code).toBe('105');
  expect((await library.anna.get(`${linkage}?page[number]=x`)).status).toBe(200);
  expect((await library.anna.get(`/shelves/${shelf}?page[size]=5`)).status).toBe(200);
});

test('a deep page is the same page, in the same order', async () => {
  const names = async (query: string) =>
    (await library.anna.get(`/shelves?${query}`)).resources.map(({ attributes }) => attributes.name);
  expect(await names('sort=name&page[size]=1&page[number]=2')).toEqual(['b']);
  expect(await names('sort=-name&page[size]=2&page[number]=2')).toEqual(['a']);
});

test('include brings at most 10,000 related records', async () => {
  const relations = `/shelves/${shelf}/relationships/books`;
  const put = (count: number) =>
    library.pool.query(
      `insert into books (account_id, shelf_id, title, created_at) select $1, $2, 'Emma', now() from generate_series(1, $3::int)`,
      [annaId, shelf, count],
    );
  await put(10_000);
  expect((await library.anna.get(`/shelves/${shelf}?include=books&fields[books]=`)).included).toHaveLength(10_000);
  await put(1);
  const refused = await library.anna.get(`/shelves?include=books`);
  expect([refused.status, refused.errors[0]?.code, refused.errors[0]?.detail]).toEqual([
    400,
    '112',
    'books of shelves brings more than 10000 related records.',
  ]);
  // A write has happened, and says so.
  const data = { type: 'shelves', id: shelf, attributes: { room: 'Attic' } };
  const written = await library.anna.patch(`/shelves/${shelf}?include=books`, { data });
  expect([written.status, written.resource.attributes.room]).toEqual([200, 'Attic']);
  expect((await library.anna.get(relations)).resources).toHaveLength(10_001);
});

test('a response to a read has at most 16 MiB', async () => {
  await library.pool.query(`update shelves set room = repeat('x', 6 * 1024 * 1024)`);
  const refused = await library.anna.get('/shelves');
  expect([refused.status, refused.errors[0]?.code]).toEqual([400, '118']);
  expect((await library.anna.get('/shelves?page[size]=2')).status).toBe(200);
});
