/**
 * Returns a page of available numbers, ordered by shelf, group and number, with the exact total. Stock is stored as
 * thousands-blocks and shelves of ten blocks, so any page, first or deep, is found in tables that hardly grow with the
 * stock (docs/paging.md).
 */
import type { Query } from '../../../engines/jsonapi/query-string.ts';
import type { ListRequest, Page } from '../../../engines/jsonapi/resource.ts';
import { Params, type RunQuery } from '../../../engines/jsonapi/sql.ts';
import type { PlatformContext } from '../context.ts';
import { lookForList } from './look-at-suppliers.ts';
import { possibleTails, suffixCount, suffixMasks } from './suffix-masks.ts';

/** No free number: a cast to bit(n) fills with zeros. */
const noneFree = `B'0'::bit(${suffixCount})`;

/** Where a page begins and how long it is. */
interface Span {
  skip: number;
  size: number;
}

export async function findNumbers(context: PlatformContext, request: ListRequest): Promise<Page> {
  const { query, columns } = request;
  if (query.filters.some(({ name }) => name === 'id')) return findById(context, request);
  const { number, size } = query.page ?? { number: 1, size: 50 };
  const span = { skip: (number - 1) * size, size };
  await lookForList(context, query);
  const run = runFor(context, query);
  const digits = query.filters.find(({ name }) => name === 'number_contains')?.values[0];
  if (typeof digits === 'string') return readPage(run, columns, span, locateByDigits(context, query, digits, span));
  const few = fewShelves.find((shelves) => shelves * leastOnShelf >= span.skip + size);
  if (few !== undefined) {
    const page = await readPage(run, columns, span, locateByShelf(context, query, span, few));
    if (page.rows.length >= Math.min(size, page.total - span.skip)) return page;
  }
  return readPage(run, columns, span, locateByShelf(context, query, span, null));
}

/**
 * The first page without filters is what everybody asks for, whatever their account: who waits for it at the same time
 * shares a statement. Other pages are not shared: whoever asked for many different ones would use connections outside
 * the share of its account.
 */
function runFor(context: PlatformContext, { filters, page }: Query): RunQuery {
  const { text } = context;
  const isHot = filters.length === 0 && page?.number === 1 && page.size === context.defaultPageSize;
  // Its values are the same for everybody but for the time, and the newest is taken.
  return isHot && text !== undefined && context.query === text.query
    ? (statement, values) => text.shared(statement, values, 'first page')
    : context.query;
}

/**
 * A page lies within as many shelves as numbers up to its end; mostly far fewer are enough, and are tried first. Few
 * different limits, each a part of the text: the planner knows them, and there are few texts to prepare.
 */
const fewShelves = [8, 64, 512, 4_096];
const leastOnShelf = 10;

/**
 * Finds blocks: CTEs of which the last, `page`, has the blocks of the page in their order (`place`), each with its free
 * bits; `before` is how many numbers come before the first of them. `total` is SQL for the number of all.
 */
interface Located {
  ctes: string;
  total: string;
  params: Params;
}

/** The numbers of the page, one row each, in one statement with the total. */
async function readPage(
  run: RunQuery,
  columns: string,
  { skip, size }: Span,
  { ctes, total, params }: Located,
): Promise<Page> {
  const [from, to, limit] = [params.add(skip), params.add(skip + size), params.add(size)];
  const rows = await run(
    `${ctes}, placed as (
       select base, did_group_id, bits, place, bit_count(bits) as n,
              first_value(before) over (order by place) + sum(bit_count(bits)) over (order by place rows unbounded preceding) as upto
       from page
     ), wanted as (
       select base, did_group_id, bits, place, greatest(${from}::bigint - upto + n, 0)::bigint as skipped
       from placed where upto > ${from} and upto - n < ${to}
     )
     select ${columns}, s.total as "→total"
     from (select ${total} as total) s left join (wanted w cross join lateral (
       select a.id, a.number, a.did_group_id, a.nanpa_prefix_id from available_dids a
       where a.number >= w.base || '000' and a.number <= w.base || '999' and a.did_group_id = w.did_group_id
         and get_bit(w.bits, right(a.number, 3)::int) = 1
       order by a.number offset w.skipped limit ${limit}
     ) t) on true
     order by w.place, t.number limit ${limit}`,
    params.values,
  );
  return { rows: rows.filter(({ id }) => id !== null), total: Number(rows[0]?.['→total'] ?? 0) };
}

/** Reservations that have not expired, by block. */
const held = (now: string): string => `
  select left(r.number, -3) as base, left(r.number, -4) as shelf, r.did_group_id, count(*)::int as held,
         bit_or(set_bit(${noneFree}, right(r.number, 3)::int, 1)) as bits
  from did_reservations r where r.expires_at > ${now} group by 1, 2, 3`;

const freeBits = 'case when h.bits is null then k.bits else k.bits & ~h.bits end';

/** Conditions use `b`, a shelf or block, and `g`, its group. */
const conditionsOf = (query: Query, params: Params, now: Date): string[] => [
  'g.available_dids_enabled',
  ...query.filters
    .filter(({ name }) => name !== 'number_contains')
    .map(({ filter, values }) => filter.where(values, params, now)),
];

/**
 * The blocks of the shelves that contain the positions of the page, among the first `shelves` or as many as can be
 * needed.
 */
function locateByShelf(context: PlatformContext, query: Query, { skip, size }: Span, shelves: number | null): Located {
  const params = new Params();
  const now = params.add(context.now);
  const conditions = conditionsOf(query, params, context.now).join(' and ');
  const [from, to] = [params.add(skip), params.add(skip + size)];
  const total = countedTotal(query, params, conditions) ?? '(select coalesce(sum(n), 0) from shelves where n > 0)';
  const ctes = `with held as (${held(now)}), changed as (
       select shelf, did_group_id, sum(change)::int as change
       from (select shelf, did_group_id, change from stock_shelf_changes
             union all select shelf, did_group_id, -held from held) each group by 1, 2
     ), shelves as (
       select b.shelf, b.did_group_id,
              b.available + coalesce(c.change, 0) as n
       from stock_shelves b join did_groups g on g.id = b.did_group_id
         left join changed c on c.shelf = b.shelf and c.did_group_id = b.did_group_id
       where ${conditions}
     ), first as (
       -- Each shelf has at least one number, so the page lies within as many shelves as numbers up to its end.
       select shelf, did_group_id, n from shelves where n > 0 order by shelf, did_group_id limit ${shelves ?? to}
     ), counted as (
       select shelf, did_group_id, n, sum(n) over (order by shelf, did_group_id rows unbounded preceding) as upto
       from first
     ), page as (
       select k.base, k.did_group_id, c.upto - c.n as before, ${freeBits} as bits,
              row_number() over (order by c.shelf, c.did_group_id, k.base) as place
       from counted c
         join stock_blocks k on k.did_group_id = c.did_group_id and k.base between c.shelf || '0' and c.shelf || '9'
         left join held h on h.base = k.base and h.did_group_id = k.did_group_id
       where c.upto > ${from} and c.upto - c.n < ${to} and k.available > 0
     )`;
  return { ctes, total, params };
}

/** Filters whose total the database keeps, with the name that it keeps it under. */
const countedFilters: Readonly<Record<string, string>> = {
  'country.id': 'country',
  'region.id': 'region',
  'city.id': 'city',
  'did_group.id': 'group',
};

/**
 * SQL for the total without filters, or with one by place or group: the kept counts, what was sold since they were
 * folded, and less what is on hold. Null for any other query.
 */
function countedTotal({ filters }: Query, params: Params, conditions: string): string | null {
  const [only, ...more] = filters;
  const scope = only === undefined ? 'all' : countedFilters[only.name];
  const ids = only === undefined ? [nilId] : only.values;
  if (more.length > 0 || scope === undefined || !ids.every((id) => typeof id === 'string')) return null;
  // The count of a group is kept whether its numbers can be picked or not.
  const picked = scope === 'group' ? ' and (select g.available_dids_enabled from did_groups g where g.id = n.id)' : '';
  return `(coalesce((select sum(n.available) from stock_counts n where n.scope = '${scope}' and n.id = any(${params.add(ids)}::uuid[])${picked}), 0)
    + coalesce((select sum(b.change) from (select did_group_id, change from stock_shelf_changes
        union all select did_group_id, -held from held) b join did_groups g on g.id = b.did_group_id where ${conditions}), 0))`;
}

const nilId = '00000000-0000-0000-0000-000000000000';

/** The same for numbers that contain `digits`: counts the matching free numbers of every candidate block. */
function locateByDigits(context: PlatformContext, query: Query, digits: string, { skip, size }: Span): Located {
  const params = new Params();
  const now = params.add(context.now);
  const mask = maskOf(digits, params);
  const candidates = candidatesFor(digits, params);
  const conditions = conditionsOf(query, params, context.now).join(' and ');
  const [from, to] = [params.add(skip), params.add(skip + size)];
  const ctes = `with held as (${held(now)}), matching as (
       -- Most candidates have none of the numbers: what is left is few, and only that is joined.
       select base, did_group_id, bits
       from (select b.base, b.did_group_id, b.bits & (${mask}) as bits from ${candidates} b offset 0) masked
       where bits <> ${noneFree} offset 0
     ), found as materialized (
       select b.base, b.did_group_id, bit_count(case when h.bits is null then b.bits else b.bits & ~h.bits end)::int as n
       from matching b join did_groups g on g.id = b.did_group_id
         left join held h on h.base = b.base and h.did_group_id = b.did_group_id
       where ${conditions}
     ), first as (
       -- Each block has at least one match, so the page lies within this many blocks.
       select base, did_group_id, n from found where n > 0 and ${from} < (select sum(n) from found)
       order by left(base, -1), did_group_id, base limit ${to}
     ), counted as (
       select base, did_group_id, n, sum(n) over (order by left(base, -1), did_group_id, base rows unbounded preceding) as upto
       from first
     ), page as (
       select c.base, c.did_group_id, c.upto - c.n as before, (${freeBits}) & (${mask.replaceAll('b.', 'k.')}) as bits, c.upto as place
       from counted c join stock_blocks k on k.base = c.base and k.did_group_id = c.did_group_id
         left join held h on h.base = k.base and h.did_group_id = k.did_group_id
       where c.upto > ${from} and c.upto - c.n < ${to}
     )`;
  return { ctes, total: '(select coalesce(sum(n), 0) from found)', params };
}

/** Selects blocks that can contain the digits: by the end of their base, or because the whole shelf contains them. */
function candidatesFor(digits: string, params: Params): string {
  const possible = possibleTails(digits);
  if (possible === null) return 'stock_blocks';
  const tails = `any(${params.add(possible)}::smallint[])`;
  return `(select k.* from stock_blocks k where k.tail = ${tails}
           union all
           select k.* from stock_shelves s
             join stock_blocks k on k.did_group_id = s.did_group_id and k.base between s.shelf || '0' and s.shelf || '9'
           where s.shelf like ${params.add(`%${digits}%`)}::text and k.tail <> all (${params.add(possible)}::smallint[]))`;
}

/** SQL for the suffixes of a block `b` whose numbers contain the digits. */
function maskOf(digits: string, params: Params): string {
  const { inside, crossing } = suffixMasks(digits);
  // Without a length: PostgreSQL would check it for every block.
  const bit = (mask: string) => `${params.add(mask)}::bit varying`;
  // `like` on text with collation "C" is cheap, and digits contain no wildcard.
  const baseHasAll = `b.base like ${params.add(`%${digits}%`)}::text`;
  const cases = crossing.map(({ head, mask }) => `when ${baseEndsWith(head, params)} then ${bit(mask)}`).join(' ');
  return `case when ${baseHasAll} then ~${noneFree} ${cases} else ${inside ? bit(inside) : noneFree} end`;
}

function baseEndsWith(head: string, params: Params): string {
  const tail = `b.tail % ${10 ** Math.min(head.length, 3)} = ${params.add(Number(head.slice(-3)))}::int`;
  return head.length > 3 ? `(${tail} and b.base like ${params.add(`%${head}`)}::text)` : tail;
}

/** A filter by id selects few numbers, so their rows are read one by one. */
async function findById(context: PlatformContext, { query, columns }: ListRequest): Promise<Page> {
  const { number, size } = query.page ?? { number: 1, size: 50 };
  const params = new Params();
  const conditions = [
    'g.available_dids_enabled',
    `not exists (select from did_reservations r where r.available_did_id = t.id and r.expires_at > ${params.add(context.now)})`,
    ...query.filters.map(({ filter, values }) => filter.where(values, params, context.now)),
  ];
  const rows = await context.query(
    `select ${columns} from available_dids t join available_dids b on b.id = t.id join did_groups g on g.id = t.did_group_id
     where ${conditions.join(' and ')} order by t.number`,
    params.values,
  );
  return { rows: rows.slice((number - 1) * size, number * size), total: rows.length };
}
