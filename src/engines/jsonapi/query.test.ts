/** Filters, sort and pages of a collection, and the errors for each. */

import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../test/support/client.ts';
import { annaId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let ada: string;

beforeAll(async () => {
  anna = library.anna;
  await library.pool.query(
    `insert into shelves (account_id, name, room, capacity, tags, lamp, created_at) values
       ($1, 'Atlas', 'Hall', 5, '{low,wide}', null, '2030-01-01T10:00:00Z'),
       ($1, 'Bible', 'Attic', 20, '{high}', '{"type":"candles","attributes":{"hours":3}}', '2030-01-02T10:00:00Z'),
       ($1, 'Crime', null, 10, '{low}', null, '2030-01-03T10:00:00Z'),
       ($1, 'Drama', 'Hall', 10, '{}', null, '2030-01-04T10:00:00Z')`,
    [annaId],
  );
  const { rows } = await library.pool.query(`insert into readers (account_id, name) values ($1, 'Ada') returning id`, [
    annaId,
  ]);
  ada = rows[0].id;
  await library.pool.query(
    `insert into books (account_id, shelf_id, title, status, keeper_type, keeper_id, created_at)
     select $1, id, 'On ' || name, case when room = 'Hall' then 'lost' else 'there' end, 'readers', case when name = 'Atlas' then $2::uuid end, created_at
     from shelves`,
    [annaId, ada],
  );
});

const names = async (query: string) => (await anna.get(`/shelves?${query}`)).resources.map(shown);
const shown = ({ attributes }: { attributes: Record<string, unknown> }) => attributes.name ?? attributes.title;
const found = async (query: string) => (await names(`sort=name&${query}`)).join(' ');

describe('filters', () => {
  test.each([
    ['any of a comma list', 'filter[capacity]=5,20', 'Atlas Bible'],
    ['the comma may be encoded', 'filter[capacity]=5%2C20', 'Atlas Bible'],
    ['different filters narrow each other', 'filter[capacity]=5,10&filter[room]=hall', 'Atlas Drama'],
    ['upper and lower case are the same where declared', 'filter[room]=hALL,ATTIC', 'Atlas Bible Drama'],
    ['elsewhere they differ', 'filter[name]=ATLAS', ''],
    ['an empty value finds records without one where declared', 'filter[room]=', 'Crime'],
    ['also among others', 'filter[room]=,attic', 'Bible Crime'],
    ['a part of a text', 'filter[name]=i', 'Bible Crime'],
    ['wildcards of SQL are plain characters', 'filter[name]=%25', ''],
    ['an empty part finds records without one where declared', 'filter[room_contains]=', 'Crime'],
    ['all of a comma list', 'filter[tags]=low,wide', 'Atlas'],
    ['true', 'filter[is_lit]=true', 'Bible'],
    ['false', 'filter[is_lit]=false', 'Atlas Crime Drama'],
    ['at least', 'filter[capacity_gteq]=10', 'Bible Crime Drama'],
    ['from a day on', 'filter[created_at_gteq]=2030-01-03', 'Crime Drama'],
    ['to the end of a day', 'filter[created_at_lteq]=2030-01-02', 'Atlas Bible'],
    ['a text that is long enough', 'filter[name_starts]=Cri', 'Crime'],
    ['a shorter one with a filter that narrows it', 'filter[name_starts]=D&filter[room]=Hall', 'Drama'],
  ])('%s: %s', async (_case, query, expected) => {
    expect(await found(query)).toBe(expected);
  });

  test('on the row of a related record', async () => {
    const { resources } = await anna.get('/books?filter[shelf.room]=Hall&sort=title');
    expect(resources.map(shown)).toEqual(['On Atlas', 'On Drama']);
  });

  test('by the id of a linked record', async () => {
    expect((await anna.get(`/books?filter[keeper.id]=${ada}`)).resources.map(shown)).toEqual(['On Atlas']);
    expect((await library.ben.get(`/books?filter[keeper.id]=${ada}`)).resources).toEqual([]);
  });
});

describe('sort', () => {
  test.each([
    ['name', 'Atlas Bible Crime Drama'],
    ['-name', 'Drama Crime Bible Atlas'],
    ['capacity', null],
    ['-created_at,name', 'Drama Crime Bible Atlas'],
    ['room,-name', 'Bible Drama Atlas Crime'],
    ['', 'Drama Crime Bible Atlas'],
  ])('%j', async (sort, expected) => {
    const response = await anna.get(`/shelves?sort=${sort}`);
    if (expected === null) expect(response.errors[0]?.code).toBe('114');
    else expect(response.resources.map(shown).join(' ')).toBe(expected);
  });

  test('without a key: the declared order, and the tie break where there is none', async () => {
    expect(await names('')).toEqual(['Drama', 'Crime', 'Bible', 'Atlas']);
    expect((await anna.get('/books')).resources.map(shown)).toEqual(['On Atlas', 'On Bible', 'On Crime', 'On Drama']);
  });
});

describe('pages', () => {
  test('page N of size S, the links to others, and the total', async () => {
    const query = 'sort=-name&include=books&filter[capacity]=5,10,20&fields[shelves]=name';
    const { resources, links, meta } = await anna.get(`/shelves?${query}&page[size]=1&page[number]=2`);
    const link = (page: number) =>
      `${anna.baseUrl}/shelves?fields%5Bshelves%5D=name&filter%5Bcapacity%5D=5%2C10%2C20&include=books&page%5Bnumber%5D=${page}&page%5Bsize%5D=1&sort=-name`;
    expect([resources.map(shown), meta.total_records]).toEqual([['Crime'], 4]);
    expect(Object.entries(links)).toEqual([
      ['first', link(1)],
      ['prev', link(1)],
      ['next', link(3)],
      ['last', link(4)],
    ]);
  });

  test('prev and next are left out at the ends, and an empty collection has one page', async () => {
    const linksOf = async (query: string) => Object.keys((await anna.get(`/shelves?page[size]=2&${query}`)).links);
    expect(await linksOf('page[number]=1')).toEqual(['first', 'next', 'last']);
    expect(await linksOf('page[number]=2')).toEqual(['first', 'prev', 'last']);
    expect(await linksOf('filter[name]=zzz')).toEqual(['first', 'last']);
  });

  test('a page past the end is empty and still knows the total', async () => {
    const { resources, meta } = await anna.get('/shelves?page[number]=1000');
    expect([resources, meta.total_records]).toEqual([[], 4]);
  });

  test('before a page past the end comes the last page', async () => {
    const prevOf = async (query: string) => {
      const { links } = await anna.get(`/shelves?page[size]=3&${query}`);
      return links.prev && new URL(links.prev).searchParams.get('page[number]');
    };
    expect(await prevOf('page[number]=2')).toBe('1');
    expect(await prevOf('page[number]=3')).toBe('2');
    expect(await prevOf('page[number]=1000')).toBe('2');
    expect(await prevOf('page[number]=7&filter[name]=zzz')).toBe('1');
    expect(await prevOf('page[number]=1&filter[name]=zzz')).toBeUndefined();
  });

  test('every record stands on exactly one page', async () => {
    const seen: unknown[] = [];
    let url: string | undefined = `${anna.baseUrl}/shelves?page[size]=3`;
    while (url) {
      const response = await anna.get(url);
      seen.push(...response.resources.map(shown));
      url = response.links.next;
    }
    expect(seen).toEqual(['Drama', 'Crime', 'Bible', 'Atlas']);
  });

  test('a parameter that is sent twice is refused', async () => {
    const response = await anna.get('/shelves?filter[name]=Atlas&page[size]=1&filter%5Bname%5D=Drama');
    expect(response.errors).toMatchObject([
      { status: '400', code: '400', detail: 'The parameter filter[name] was sent more than once.' },
    ]);
  });

  test('are ignored where a collection has none', async () => {
    expect((await library.nobody.get('/notices?page[size]=1&page[foo]=x&page=7')).status).toBe(200);
  });
});

describe('errors', () => {
  test.each([
    ['fields[planets]=name', '101 | Invalid resource | planets is not a valid resource.'],
    ['filter[colour]=red', '102 | Filter not allowed | colour is not allowed.'],
    ['filter[shelf][id]=x', '102 | Filter not allowed | shelf[id] is not allowed.'],
    ['filter[constructor]=x', '102 | Filter not allowed | constructor is not allowed.'],
    ['fields[shelves]=colour', '104 | Invalid field | colour is not a valid field for shelves.'],
    ['colour=red', '105 | Param not allowed | colour is not allowed.'],
    ['page[foo]=1', '105 | Page parameter not allowed | foo is not an allowed page parameter.'],
    ['filter[id]=GB', '107 | Invalid filter value | GB is not a valid value for id.'],
    ['filter[name]=', '107 | Invalid filter value |  is not a valid value for name.'],
    ['filter[name]=a%00b', '107 | Invalid filter value | a\0b is not a valid value for name.'],
    ['filter[is_lit]=yes', '107 | Invalid filter value | yes is not a valid value for is_lit.'],
    ['filter[capacity]=5,many', '107 | Invalid filter value | 5,many is not a valid value for capacity.'],
    ['filter[capacity_gteq]=many', '107 | Invalid filter value | many is not a valid value for capacity_gteq.'],
    ['filter[tags]=low,round', '107 | Invalid filter value | low,round is not a valid value for tags.'],
    ['filter[name_starts]=Cr', '107 | Invalid filter value | Cr is not a valid value for name_starts.'],
    [
      'filter[created_at_gteq]=2030-02-30',
      '107 | Invalid filter value | 2030-02-30 is not a valid value for created_at_gteq.',
    ],
    ['include=planets', '112 | Invalid field | planets is not a valid relationship of shelves'],
    ['include=books.planets', '112 | Invalid field | planets is not a valid relationship of books'],
    ['sort=name,-colour', '114 | Invalid sort criteria | colour is not a valid sort criteria for shelves'],
    ['page=2', '117 | Invalid Page Object | Invalid Page Object.'],
    ['page[number]=0', '118 | Invalid page value | 0 is not a valid value for number page parameter.'],
    ['page[number]=1.5', '118 | Invalid page value | 1.5 is not a valid value for number page parameter.'],
    ['page[size]=', '118 | Invalid page value |  is not a valid value for size page parameter.'],
    ['page[size]=101', '118 | Invalid page value | size exceeds maximum page size of 100.'],
    ['fields=name', '119 | Invalid field format | Fields must specify a type.'],
    ['filter=iso', '120 | Invalid filters syntax | iso is not a valid syntax for filtering.'],
  ])('%s', async (query, expected) => {
    const { status, errors } = await anna.get(`/shelves?${query}`);
    const lines = errors.map(({ code, title, detail }) => `${code} | ${title} | ${detail}`);
    expect([status, lines]).toEqual([400, [expected]]);
  });

  test.each(['2030-13-01', '2030-06-31T10:00:00Z', '2030-02-01T25:00', '2030-00-10'])(
    'a moment that is not in the calendar is no filter value: %s',
    async (at) => {
      expect((await anna.get(`/shelves?filter[created_at_gteq]=${at}`)).errors[0]?.code).toBe('107');
    },
  );

  test('all errors of a query come in one response', async () => {
    const { errors } = await anna.get(
      '/shelves?filter[a]=1&filter[id]=x&include=b&sort=c&fields[shelves]=d&page[size]=0&f=1',
    );
    expect(errors.map(({ code }) => code)).toEqual(['102', '107', '112', '114', '104', '118', '105']);
  });

  test('a query that cannot be decoded', async () => {
    const { status, errors } = await anna.get('/shelves?filter[name]=%E0%A4%A');
    expect([status, errors[0]?.title]).toEqual([400, 'Bad Request']);
  });

  test('a single record takes no filter and no sort', async () => {
    const { id } = (await anna.get('/shelves')).resources[0] ?? { id: '' };
    const codes = async (query: string) => (await anna.get(`/shelves/${id}?${query}`)).errors.map(({ code }) => code);
    expect([await codes('filter[name]=x'), await codes('sort=name')]).toEqual([['102'], ['105']]);
  });
});
