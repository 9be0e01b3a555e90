import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Library, openLibrary } from '../../test/support/library/server.ts';

let library: Library;
let shelf: string;
const path = (levels: number) => Array.from({ length: levels }, (_each, n) => (n % 2 ? 'shelf' : 'books')).join('.');

beforeAll(async () => {
  library = await openLibrary();
  for (const name of ['a', 'b', 'c']) {
    shelf = (await library.anna.post('/shelves', { data: { type: 'shelves', attributes: { name } } })).resource.id;
  }
});
afterAll(() => library.close());

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
