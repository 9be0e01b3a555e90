/**
 * Documents written from text are, byte for byte, those of the plain way: rows as values, objects, `JSON.stringify`.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { engineContext } from '../../../../test/support/engine-context.ts';
import { resources } from '../../../../test/support/library/resources.ts';
import { annaId, openLibrary } from '../../../../test/support/library/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { parseText } from '../../db/pool.ts';
import { text } from '../attributes.ts';
import { declare, toMany, toOne } from '../declare.ts';
import type { ResourceRequest } from '../engine.ts';
import type { Linkage } from '../linkage.ts';
import { listDocument, readDocument, relatedDocument } from '../operations.ts';
import type { RawQuery } from '../query-string.ts';
import { Registry } from '../resource.ts';
import type { Row } from '../sql.ts';
import { attributeCell, quote } from './cells.ts';
import { DocumentText } from './document-text.ts';
import { compileResource } from './resource-writer.ts';

const library = useOpened(() => openLibrary());
const registry = new Registry(resources);
const asText = { getTypeParser: () => (value: string) => value };

/** Texts that JSON has to escape, and texts that only look like it. */
const oddTexts = [
  '',
  'plain',
  'say "hi"',
  'back\\slash',
  'line\nbreak\ttab',
  '\u0001\u007f\u2028',
  'žluťoučký 電話',
  '😀',
  '</script>',
  'null',
  '"',
];

beforeAll(async () => {
  const { pool } = library;
  await pool.query(
    `with r as (insert into readers (account_id, name) select $1, t || n from unnest($2::text[]) t, generate_series(1, 3) n returning id, name),
       c as (insert into clubs (account_id, name, leader_id) select $1, name, id from r limit 9 returning id),
       s as (insert into shelves (account_id, name, room, capacity, tags, lamp, created_at)
         select $1, t || n, nullif(t, ''), n, case n when 1 then '{}'::text[] else '{high,low}' end,
           case n when 1 then null when 2 then '{"type":"led_lamps","attributes":{"colour":"warm","watts":5,"note":"\\u0041"}}'::jsonb
             else '{"type":"old_lamps","attributes":{"name":"x\\"y"}}' end,
           '2030-01-01T00:00:00Z'::timestamptz + n * interval '1.5 milliseconds' + n * interval '7 hours'
         from unnest($2::text[]) t, generate_series(1, 3) n returning id, name),
       b as (insert into books (account_id, shelf_id, keeper_type, keeper_id, title, price, published, status, copies, created_at)
         select $1, case n when 4 then null else s.id end, case n % 3 when 1 then 'readers' when 2 then 'clubs' end,
           case n % 3 when 1 then (select id from r limit 1) when 2 then (select id from c limit 1) end,
           s.name || n, n * 0.0130, case n when 2 then '2029-02-28'::date end, case n when 3 then 'lost' else 'there' end,
           '[{"type":"paper_copies","attributes":{"qty":2}}]', '2031-05-06T07:08:09.120Z'::timestamptz - n * interval '1 second'
         from s, generate_series(1, 4) n returning id)
     insert into book_reviewers select b.id, r.id from b, r where abs(hashtext(b.id::text || r.id::text)) % 11 = 0`,
    [annaId, oddTexts],
  );
  await pool.query('insert into desks (account_id, money) values ($1, 12.3450)', [annaId]);
});

function requestFor(type: string, query: RawQuery, id = ''): ResourceRequest {
  const { pool } = library;
  const resource = registry.get(type);
  if (!resource) throw new Error(`there is no ${type}`);
  const context = engineContext({
    tenant: { accountId: annaId },
    baseUrl: 'https://host:1/library',
    query: async (statement, values) => (await pool.query<Row>(statement, values)).rows,
    text: {
      query: async (statement, values) => (await pool.query<Row>({ text: statement, values, types: asText })).rows,
      shared: async (statement, values) => (await pool.query<Row>({ text: statement, values, types: asText })).rows,
      describe: async (statement, values) => {
        const { fields } = await pool.query({ text: statement, values });
        return Object.fromEntries(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
      },
      parse: parseText,
    },
  });
  return { context, registry, newest: registry, resource, id, query, body: undefined, path: `/${type}` };
}

/** Both ways; they must agree. */
async function sameBothWays(
  run: (request: ResourceRequest) => Promise<object>,
  request: ResourceRequest,
): Promise<string> {
  const [written, plain] = [await run({ ...request, asText: true }), await run(request)];
  if (!(written instanceof DocumentText)) throw new Error('the document was not written as text');
  expect(written.text).toBe(JSON.stringify(plain));
  expect(written.bytes().toString()).toBe(written.text);
  return written.text;
}

/** Paths through the declared relationships. */
function includePaths(type: string, depth: number): string[] {
  if (depth === 0) return [];
  return Object.entries(registry.get(type)?.relationships ?? {}).flatMap(([name, { target, writeOnly }]) => {
    if (writeOnly) return [];
    const targets = typeof target === 'string' ? [target] : target;
    return [name, ...targets.flatMap((each) => includePaths(each, depth - 1)).map((path) => `${name}.${path}`)];
  });
}

const listed = ['shelves', 'books', 'readers', 'clubs', 'notices'];

interface Shape {
  type: string;
  include: string[];
  fields: Record<string, number[]>;
  sort: string[];
  page: { number: number; size: number };
}

/** A collection in a random shape: includes, fields of any type, order and page. */
const shape: fc.Arbitrary<Shape> = fc.constantFrom(...listed).chain((type) => {
  const paths = includePaths(type, 3);
  const sorts = Object.keys(registry.get(type)?.sort ?? {});
  const some = (names: string[]) => (names.length === 0 ? fc.constant<string[]>([]) : fc.subarray(names));
  const fields = fc.dictionary(fc.constantFrom(...listed), fc.array(fc.nat(20), { maxLength: 5 }), { maxKeys: 3 });
  return fc.record({
    type: fc.constant(type),
    include: some(paths).map((all) => all.slice(0, 6)),
    fields,
    sort: some(sorts),
    page: fc.record({ number: fc.integer({ min: 1, max: 4 }), size: fc.integer({ min: 1, max: 40 }) }),
  });
});

function queryOf({ type, include, fields, sort, page }: Shape): RawQuery {
  const query: [string, string][] = [];
  if (include.length > 0) query.push(['include', include.join(',')]);
  for (const [each, picks] of Object.entries(fields)) {
    const { attributes = {}, relationships = {} } = registry.get(each) ?? {};
    const names = [...Object.keys(attributes), ...Object.keys(relationships)];
    const picked = new Set(picks.flatMap((pick) => names[pick % Math.max(1, names.length)] ?? []));
    query.push([`fields[${each}]`, [...picked].join(',')]);
  }
  if (sort.length > 0) query.push(['sort', sort.join(',')]);
  if (type !== 'notices') query.push(['page[number]', String(page.number)], ['page[size]', String(page.size)]);
  return query;
}

describe('both ways of writing a document agree', () => {
  test('on collections of random shapes', async () => {
    const check = fc.asyncProperty(shape, async (one) => {
      await sameBothWays(listDocument, requestFor(one.type, queryOf(one)));
    });
    // A failure prints its seed and the smallest shape that fails.
    await fc.assert(check, { numRuns: 60 });
  });

  test('on single records, a singleton and related records', async () => {
    const { rows } = await library.pool.query("select id from books where status = 'lost' order by title limit 1");
    const query: RawQuery = [['include', 'shelf.books.reviewers,keeper,warrant']];
    const text = await sameBothWays(readDocument, requestFor('books', query, rows[0].id));
    expect(text).toContain('"meta":{"lost_for":"a while"}');
    await sameBothWays(readDocument, requestFor('desks', []));
    for (const name of ['shelf', 'keeper', 'reviewers', 'warrant']) {
      const relationship = registry.get('books')?.relationships[name];
      if (!relationship) throw new Error(`a book has no ${name}`);
      await sameBothWays(
        (request) => relatedDocument(request, name, relationship),
        requestFor('books', [], rows[0].id),
      );
    }
  });
});

test('a row that several requests share is written with the links of each', () => {
  const parts = { attributes: { name: text() }, relationships: { owner: toOne('readers'), parts: toMany('parts') } };
  const [shared, alone] = [true, false].map((reusesSerializedRows) => {
    const resource = declare('catalogue', 'things', { ...parts, reusesSerializedRows });
    const write = compileResource({ baseUrl: 'https://host' }, resource, { name: 25 }, parseText, {
      fields: new Map(),
    });
    return (row: Row, linkage: [string, Linkage | Linkage[] | null][]) =>
      write({ resource, row, linkage: new Map(linkage) });
  });
  const row = { id: '1', name: 'lamp' };
  const [anna, ben] = ['anna', 'ben'].map((id): Linkage => ({ type: 'readers', id }));
  if (!shared || !alone || !anna || !ben) throw new Error('there are two of each');
  const requests: [string, Linkage | Linkage[] | null][][] = [
    [],
    [['owner', anna]],
    [['owner', anna]],
    [['owner', null]],
    [['owner', ben]],
    [['parts', [ben]]],
    [['parts', []]],
    [['owner', ben]],
    [],
  ];
  for (const linkage of requests) expect(shared(row, linkage)).toBe(alone(row, linkage));
  expect(shared({ ...row, name: 'desk' }, [])).toContain('"name":"desk"');
});

test('every text is quoted as JSON.stringify does it', () => {
  for (const each of [...oddTexts, '\ud800', 'a\udfffb']) expect(quote(each)).toBe(JSON.stringify(each));
  const units = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));
  fc.assert(fc.property(units, (each) => quote(each) === JSON.stringify(each)));
});

test('bytes have room for letters of several bytes', () => {
  for (const piece of ['電'.repeat(3_000), '😀'.repeat(900), 'é', '']) {
    const document = new DocumentText(['[', piece, ',', piece, ']']);
    expect(document.bytes().toString()).toBe(`[${piece},${piece}]`);
    expect(document.length).toBe(document.text.length);
  }
});

test('a list of words is written as a parsed one would be', () => {
  const write = attributeCell(text(), 1009, parseText);
  for (const sent of [
    '{}',
    '{voice_in}',
    '{t38,sms_in}',
    '{NULL}',
    '{null,a}',
    '{"a b",c}',
    '{a,{b}}',
    '{"\\"x"}',
    '{A,b}',
    '{1,a}',
  ])
    expect(write(sent, '')).toBe(JSON.stringify(parseText(1009, sent)));
});

test('a time is written as a parsed one would be', async () => {
  const time = registry.get('shelves')?.attributes.created_at ?? text();
  const write = attributeCell(time, 1184, parseText);
  const fractions = Array.from({ length: 1000 }, (_, n) => `.${String(n).padStart(3, '0')}`.replace(/\.?0+$/, ''));
  const odd = ['.123456', '.999999', '.1234'];
  for (const fraction of [...fractions, ...odd]) {
    const sent = `2026-11-17 08:31:25${fraction}+00`;
    expect(write(sent, '')).toBe(JSON.stringify(parseText(1184, sent)));
  }
  for (const sent of ['2026-11-17 08:31:25+05:30', '0099-01-01 00:00:00+00', '12026-01-01 00:00:00+00']) {
    expect(write(sent, '')).toBe(JSON.stringify(parseText(1184, sent)));
  }
});
