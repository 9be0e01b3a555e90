/** Any query, path or body gets a documented response. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

/**
 * The client refuses any response that the OpenAPI document does not have, 500 above all; so here it is enough to ask.
 */
const library = useOpened(() => openLibrary());
let shelf: string;

beforeAll(async () => {
  shelf = (await library.anna.post('/shelves', { data: { type: 'shelves', attributes: { name: 'First' } } })).resource
    .id;
});

const id = fc.oneof(
  fc.uuid(),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constant('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'),
);
const name = fc.oneof(
  fc.constantFrom(
    'name',
    'room',
    'capacity',
    'tags',
    'lamp',
    'created_at',
    'books',
    'shelf',
    'id',
    '__proto__',
    'constructor',
    'toString',
    '',
  ),
  fc.string({ maxLength: 6 }),
);
const key = fc.oneof(
  fc.constantFrom(
    'include',
    'sort',
    'page',
    'filter',
    'fields',
    'page[number]',
    'page[size]',
    'fields[shelves]',
    'filter[id]',
    'filter[name]',
    'filter[created_at_gteq]',
    'filter[created_at_lteq]',
  ),
  name.map((word) => `filter[${word}]`),
  name.map((word) => `fields[${word}]`),
  fc.string({ maxLength: 10 }),
);
const value = fc.oneof(
  fc.constantFrom(
    'books.shelf.books',
    'books,books.keeper',
    '-name',
    'name,-created_at',
    '1',
    '0',
    '999999999',
    '2030-01-01',
    '2030-13-45T99:99',
    '%',
    "';--",
  ),
  id,
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const query = fc
  .array(fc.tuple(key, value), { maxLength: 4 })
  .map((pairs) =>
    pairs.map(([k, v]) => `${encodeURIComponent(wellFormed(k))}=${encodeURIComponent(wellFormed(v))}`).join('&'),
  );
const wellFormed = (text: string) => text.toWellFormed();

const linkage = fc.oneof(
  fc.constant(null),
  fc.anything({ maxDepth: 1 }),
  fc.record({ type: fc.constantFrom('books', 'shelves', 'readers', 'clubs'), id }),
);
const attributes = fc.dictionary(
  name,
  fc.oneof(
    fc.anything({ maxDepth: 2 }),
    fc.constantFrom('x', 5, ['low'], { type: 'led_lamps', attributes: { watts: 3 } }),
  ),
  { maxKeys: 4 },
);
const document = fc.oneof(
  fc.anything({ maxDepth: 3 }),
  fc.record(
    {
      data: fc.record(
        {
          type: fc.constantFrom('shelves', 'books', ''),
          id,
          attributes,
          relationships: fc.dictionary(name, fc.record({ data: linkage })),
        },
        { requiredKeys: ['type'] },
      ),
    },
    { noNullPrototype: true },
  ),
);

const runs = { numRuns: 60 };
function documented(status: number): void {
  expect([200, 201, 204, 400, 401, 403, 404, 405, 422]).toContain(status);
}

describe('no input breaks it', () => {
  test('queries', async () => {
    const paths = fc.constantFrom(
      '/shelves',
      '/books',
      `/shelves/${shelf}`,
      `/shelves/${shelf}/books`,
      '/readers',
      '/notices',
      '/desk',
    );
    await fc.assert(
      fc.asyncProperty(paths, query, async (path, search) =>
        documented((await library.anna.get(`${path}?${search}`)).status),
      ),
      runs,
    );
  });

  test('paths', async () => {
    const segment = fc.oneof(id, name, fc.constantFrom('shelves', 'books', 'relationships', '//', '%00', '%zz'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(segment, { maxLength: 4 }),
        fc.constantFrom('GET', 'DELETE', 'HEAD'),
        async (parts, method) => {
          const path = parts.map((part) => encodeURIComponent(wellFormed(part))).join('/');
          documented((await library.anna.request(method, `/${path}`)).status);
        },
      ),
      runs,
    );
  });

  test('bodies', async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.boolean(), async (body, update) => {
        const rawBody =
          JSON.stringify(body, (_key, each) => (typeof each === 'bigint' ? String(each) : each)) ?? 'null';
        const response = update
          ? await library.anna.patch(`/shelves/${shelf}`, undefined, { rawBody })
          : await library.anna.post('/books', undefined, { rawBody });
        documented(response.status);
      }),
      runs,
    );
  });
});
