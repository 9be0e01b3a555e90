import type { Query } from '../../jsonapi/query.ts';
import type { ListRequest, Page } from '../../jsonapi/resource.ts';
import { Params, type Row } from '../../jsonapi/sql.ts';
import type { PlatformContext } from '../context.ts';
import { SUFFIXES, suffixMasks } from './suffix-masks.ts';

/**
 * A page of available numbers. Stock is kept as thousands-blocks, so the exact total and the blocks of any page, first
 * or deep, come from one pass over a table a thousand times smaller than the stock (docs/paging.md). Order: by number.
 */
export async function findNumbers(context: PlatformContext, request: ListRequest): Promise<Page> {
  const byId = request.query.filters.some(({ name }) => name === 'id');
  return byId ? findById(context, request) : findInBlocks(context, request);
}

async function findInBlocks(context: PlatformContext, { query, columns }: ListRequest): Promise<Page> {
  const { number, size } = query.page ?? { number: 1, size: 50 };
  const skip = (number - 1) * size;
  const located = await locate(context, query, skip, size);
  const total = Number(located[0]?.total ?? 0);
  const numbers = located
    .filter((block) => block.base !== null)
    .flatMap((block) => expand(block))
    .slice(located[0]?.base ? skip - Number(located[0].before) : 0)
    .slice(0, size);
  if (numbers.length === 0) return { rows: [], total };
  const rows = await context.query(
    `select ${columns}, t.number as found from available_dids t where t.number = any($1::text[])`,
    [numbers],
  );
  const place = new Map(numbers.map((each, index) => [each, index]));
  const placeOf = (row: Row): number => place.get(String(row.found)) ?? 0;
  return { rows: rows.sort((left, right) => placeOf(left) - placeOf(right)), total };
}

/** The blocks that hold positions `skip` … `skip + size`, each with its matching bits, and the total of all. */
function locate(context: PlatformContext, query: Query, skip: number, size: number): Promise<Row[]> {
  const params = new Params();
  const now = params.add(context.now);
  const digits = query.filters.find(({ name }) => name === 'number_contains')?.values[0];
  const matching = typeof digits === 'string' ? maskOf(digits, params) : null;
  const free = 'case when h.bits is null then b.bits else b.bits & ~h.bits end';
  const bits = matching ? `(${free}) & (${matching.mask})` : free;
  const count = matching ? `bit_count(${bits})::int` : 'b.available - coalesce(h.held, 0)';
  const conditions = [
    'g.available_dids_enabled',
    'b.available > 0',
    ...(matching ? [matching.possible] : []),
    ...query.filters
      .filter(({ name }) => name !== 'number_contains')
      .map(({ filter, values }) => filter.where(values, params)),
  ];
  const source = `from stock_blocks b join did_groups g on g.id = b.did_group_id
      left join held h on h.base = b.base and h.did_group_id = b.did_group_id`;
  const [from, to] = [params.add(skip), params.add(skip + size)];
  return context.query(
    `with held as (
       select left(r.number, -3) as base, r.did_group_id, count(*)::int as held,
              bit_or(set_bit(${NONE}, right(r.number, 3)::int, 1)) as bits
       from did_reservations r where r.expires_at > ${now} group by 1, 2
     ), stock as (
       select b.base, b.did_group_id, ${count} as n ${source} where ${conditions.join(' and ')}
     ), counted as materialized (
       select base, did_group_id, n, sum(n) over (order by base, did_group_id) as upto from stock where n > 0
     ), page as (
       select c.base, c.upto - c.n as before, ${bits} as bits
       from counted c join stock_blocks b on b.base = c.base and b.did_group_id = c.did_group_id
         left join held h on h.base = b.base and h.did_group_id = b.did_group_id
       where c.upto > ${from} and c.upto - c.n < ${to}
       order by c.base, c.did_group_id
     )
     select p.base, p.before, p.bits, s.total
     from (select coalesce(max(upto), 0) as total from counted) s left join page p on true`,
    params.values,
  );
}

/** A cast to bit(n) fills up with zeros. */
const NONE = `B'0'::bit(${SUFFIXES})`;

/** SQL for the suffixes of a block whose numbers contain the digits, and for whether a block can have any. */
function maskOf(digits: string, params: Params): { mask: string; possible: string } {
  const { inside, crossing } = suffixMasks(digits);
  const bit = (mask: string) => `${params.add(mask)}::bit(${SUFFIXES})`;
  const needle = `${params.add(digits)}::text`;
  const prefixHasAll = `position(${needle} in b.base) > 0`;
  const ends = crossing.map(({ head, mask }) => ({
    test: `right(b.base, ${head.length}) = ${params.add(head)}`,
    mask: bit(mask),
  }));
  const parts = [
    inside ? bit(inside) : NONE,
    ...ends.map(({ test, mask }) => `(case when ${test} then ${mask} else ${NONE} end)`),
  ];
  return {
    mask: `case when ${prefixHasAll} then ~${NONE} else ${parts.join(' | ')} end`,
    possible: inside ? 'true' : `(${[prefixHasAll, ...ends.map(({ test }) => test)].join(' or ')})`,
  };
}

function expand(block: Row): string[] {
  const base = String(block.base);
  const bits = String(block.bits);
  const numbers: string[] = [];
  for (let suffix = bits.indexOf('1'); suffix >= 0; suffix = bits.indexOf('1', suffix + 1)) {
    numbers.push(base + String(suffix).padStart(3, '0'));
  }
  return numbers;
}

/** Asked for by id, numbers are few: rows are looked at one by one. */
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
