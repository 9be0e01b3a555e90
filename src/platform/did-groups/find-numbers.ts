/**
 * Returns a page of available numbers, ordered by shelf, group and number, with the exact total. Stock is stored as
 * thousands-blocks and shelves of ten blocks, so any page, first or deep, is found in tables that hardly grow with the
 * stock (docs/paging.md).
 */
import type { Query } from '../../jsonapi/query-string.ts';
import type { ListRequest, Page } from '../../jsonapi/resource.ts';
import { Params, type Row } from '../../jsonapi/sql.ts';
import type { PlatformContext } from '../context.ts';
import { possibleTails, suffixCount, suffixMasks } from './suffix-masks.ts';

/** No free number: a cast to bit(n) fills with zeros. */
const noneFree = `B'0'::bit(${suffixCount})`;

export async function findNumbers(context: PlatformContext, request: ListRequest): Promise<Page> {
  const { query, columns } = request;
  if (query.filters.some(({ name }) => name === 'id')) return findById(context, request);
  const { number, size } = query.page ?? { number: 1, size: 50 };
  const skip = (number - 1) * size;
  const digits = query.filters.find(({ name }) => name === 'number_contains')?.values[0];
  const located = await (typeof digits === 'string'
    ? locateByDigits(context, query, digits, skip, size)
    : locateByShelf(context, query, skip, size));
  const total = Number(located[0]?.total ?? 0);
  const before = Number(located[0]?.before ?? 0);
  const numbers = numbersIn(located, skip - before, size);
  if (numbers.length === 0) return { rows: [], total };
  const rows = await context.query(
    `select ${columns}, t.number as found from available_dids t where t.number = any($1::text[])`,
    [numbers],
  );
  const place = new Map(numbers.map((each, index) => [each, index]));
  const placeOf = (row: Row): number => place.get(String(row.found)) ?? 0;
  return { rows: rows.sort((left, right) => placeOf(left) - placeOf(right)), total };
}

/** Reservations that have not expired, by block. */
const held = (now: string): string => `
  select left(r.number, -3) as base, left(r.number, -4) as shelf, r.did_group_id, count(*)::int as held,
         bit_or(set_bit(${noneFree}, right(r.number, 3)::int, 1)) as bits
  from did_reservations r where r.expires_at > ${now} group by 1, 2, 3`;

const freeBits = 'case when h.bits is null then k.bits else k.bits & ~h.bits end';

/** Conditions use `b`, a shelf or block, and `g`, its group. */
const conditionsOf = (query: Query, params: Params): string[] => [
  'g.available_dids_enabled',
  ...query.filters
    .filter(({ name }) => name !== 'number_contains')
    .map(({ filter, values }) => filter.where(values, params)),
];

/**
 * Returns the blocks of the shelves that contain positions `skip` … `skip + size`, in order, each with its free bits.
 * `before` is how many numbers come before the first of them, `total` the number of all. An empty page returns one row
 * without a block, with the total.
 */
function locateByShelf(context: PlatformContext, query: Query, skip: number, size: number): Promise<Row[]> {
  const params = new Params();
  const now = params.add(context.now);
  const conditions = conditionsOf(query, params).join(' and ');
  const [from, to] = [params.add(skip), params.add(skip + size)];
  const total = countedTotal(query, params, conditions) ?? '(select coalesce(sum(n), 0) from shelves where n > 0)';
  return context.query(
    `with held as (${held(now)}), changed as (
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
       -- Each shelf has at least one number, so the page lies within this many shelves.
       select shelf, did_group_id, n from shelves where n > 0 order by shelf, did_group_id limit ${to}
     ), counted as (
       select shelf, did_group_id, n, sum(n) over (order by shelf, did_group_id rows unbounded preceding) as upto
       from first
     ), page as (
       select k.base, c.upto - c.n as before, ${freeBits} as bits
       from counted c
         join stock_blocks k on k.did_group_id = c.did_group_id and k.base between c.shelf || '0' and c.shelf || '9'
         left join held h on h.base = k.base and h.did_group_id = k.did_group_id
       where c.upto > ${from} and c.upto - c.n < ${to} and k.available > 0
       order by c.shelf, c.did_group_id, k.base
     )
     select p.base, p.before, p.bits, s.total
     from (select ${total} as total) s left join page p on true`,
    params.values,
  );
}

/** Filters whose total the database keeps, with the name that it keeps it under. */
const countedFilters: Readonly<Record<string, string>> = {
  'country.id': 'country',
  'region.id': 'region',
  'city.id': 'city',
  'did_group.id': 'group',
};

/**
 * SQL for the total without filters, or with one by place or group: the kept counts, what was sold since they were folded, and
 * less what is on hold. Null for any other query.
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
function locateByDigits(
  context: PlatformContext,
  query: Query,
  digits: string,
  skip: number,
  size: number,
): Promise<Row[]> {
  const params = new Params();
  const now = params.add(context.now);
  const mask = maskOf(digits, params);
  const candidates = candidatesFor(digits, params);
  const conditions = conditionsOf(query, params).join(' and ');
  const [from, to] = [params.add(skip), params.add(skip + size)];
  return context.query(
    `with held as (${held(now)}), matching as (
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
       select c.base, c.upto - c.n as before, (${freeBits}) & (${mask.replaceAll('b.', 'k.')}) as bits
       from counted c join stock_blocks k on k.base = c.base and k.did_group_id = c.did_group_id
         left join held h on h.base = k.base and h.did_group_id = k.did_group_id
       where c.upto > ${from} and c.upto - c.n < ${to}
       order by c.upto
     )
     select p.base, p.before, p.bits, s.total
     from (select coalesce(sum(n), 0) as total from found) s left join page p on true`,
    params.values,
  );
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

/** At most `size` numbers of the blocks, without the first `skipped` of them, which are only counted. */
function numbersIn(blocks: readonly Row[], skipped: number, size: number): string[] {
  const numbers: string[] = [];
  let position = 0;
  for (const { base, bits } of blocks) {
    const free = base === null ? '' : String(bits);
    for (let suffix = free.indexOf('1'); suffix >= 0; suffix = free.indexOf('1', suffix + 1)) {
      if (numbers.length === size) return numbers;
      if (position >= skipped) numbers.push(`${base}${String(suffix).padStart(3, '0')}`);
      position += 1;
    }
  }
  return numbers;
}

/** A filter by id selects few numbers, so their rows are read one by one. */
async function findById(context: PlatformContext, { query, columns }: ListRequest): Promise<Page> {
  const { number, size } = query.page ?? { number: 1, size: 50 };
  const params = new Params();
  const conditions = [
    'g.available_dids_enabled',
    `not exists (select from did_reservations r where r.available_did_id = t.id and r.expires_at > ${params.add(context.now)})`,
    ...query.filters.map(({ filter, values }) => filter.where(values, params)),
  ];
  const rows = await context.query(
    `select ${columns} from available_dids t join available_dids b on b.id = t.id join did_groups g on g.id = t.did_group_id
     where ${conditions.join(' and ')} order by t.number`,
    params.values,
  );
  return { rows: rows.slice((number - 1) * size, number * size), total: rows.length };
}
