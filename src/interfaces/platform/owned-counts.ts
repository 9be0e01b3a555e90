/**
 * Totals and deep pages of an account's lists, from counts that the database keeps
 * (src/engines/db/baseline/17_owned-counts.sql). A count is its row plus the changes that are not folded into it yet,
 * read in one statement, so it is exact at every moment.
 */
import type { Query } from '../../engines/jsonapi/query-string.ts';
import type { KeptCounts } from '../../engines/jsonapi/resource.ts';
import type { Params } from '../../engines/jsonapi/sql.ts';
import type { PlatformContext } from './context.ts';

type Ranges = Omit<NonNullable<KeptCounts['ranges']>, 'at'>;

interface CountsOptions {
  /** Filters with a count for each of their values. */
  filters?: readonly string[];
  /** Filter → SQL for the parts that its ids stand for, as an array. */
  partsOf?: Readonly<Record<string, (ids: string) => string>>;
  ranges?: Ranges;
}

/** In the order of creation, which is that of lists without a sort key of their own. */
export const byCreation: Ranges = {
  sort: { column: '', descending: false },
  from: (range) => `t.created_at >= (${range} || '+00')::timestamptz`,
};

/** The newest first. */
export const byCreationDescending: Ranges = {
  sort: { column: 't.created_at', descending: true },
  from: (range) => `t.created_at < (${range} || '+00')::timestamptz + interval '1 minute'`,
};

/** `list` is the name that the triggers count under. */
export function ownedCounts(
  list: string,
  { filters = [], partsOf = {}, ranges }: CountsOptions = {},
): KeptCounts<PlatformContext> {
  return {
    total: (context, asked, params) => {
      const account = accountOf(context);
      const parts = partsIn(asked, filters, partsOf, params);
      return account === null || parts === null ? null : totalOf(list, params.add(account), parts);
    },
    ...(ranges === undefined ? {} : { ranges: withEntry(list, ranges) }),
  };
}

/**
 * Entries that are shown for some time only: they are counted by day, and the day on which that time began row by row.
 */
export function countsByDay(
  list: string,
  {
    table,
    since,
    filters,
    ranges,
  }: { table: string; since: (now: Date) => Date; filters: readonly string[]; ranges: Ranges },
): KeptCounts<PlatformContext> {
  return {
    total: (context, asked, params) => {
      const account = accountOf(context);
      const [only, ...more] = asked;
      if (account === null || more.length > 0 || (only && !filters.includes(only.name))) return null;
      const from = since(context.now);
      const midnight = new Date(from.getTime() + dayMs - (from.getTime() % dayMs));
      const kind = only ? `${only.name}=${String(only.values[0])} ` : '1 ';
      const owner = params.add(account);
      const [after, end] = [params.add(kind + from.toISOString().slice(0, 10)), params.add(`${kind}z`)];
      const begun = [
        `t.account_id = ${owner}`,
        `t.created_at >= ${params.add(from)} and t.created_at < ${params.add(midnight)}`,
        ...(only ? [only.filter.where(only.values, params, context.now)] : []),
      ];
      return `(coalesce((select sum(c.entries) from owned_counts c
          where c.account_id = ${owner} and c.list = '${list}' and c.part > ${after} and c.part < ${end}), 0)
        + coalesce((select sum(h.change) from owned_count_changes h, unnest(h.parts) as p (part)
          where h.account_id = ${owner} and h.list = '${list}' and p.part > ${after} and p.part < ${end}), 0)
        + (select count(*) from ${table} t where ${begun.join(' and ')}))`;
    },
    ranges: withEntry(list, ranges),
  };
}

const dayMs = 86_400_000;

const accountOf = ({ tenant }: Pick<PlatformContext, 'tenant'>): string | null =>
  tenant === null || tenant === 'every account' ? null : tenant.accountId;

/** SQL for the parts that the filters select, as an array; null if they are not counted. */
function partsIn(
  asked: Query['filters'],
  filters: readonly string[],
  partsOf: NonNullable<CountsOptions['partsOf']>,
  params: Params,
): string | null {
  const [only, ...more] = asked;
  if (only === undefined) return `array['']`;
  const { name, values } = only;
  if (more.length > 0) return null;
  const texts = values.map((value) => (typeof value === 'symbol' ? '' : String(value)));
  if (filters.includes(name)) return `${params.add([...new Set(texts)].map((text) => `${name}=${text}`))}::text[]`;
  const parts = partsOf[name];
  return parts === undefined || texts.includes('') ? null : parts(params.add(texts));
}

const totalOf = (list: string, owner: string, parts: string): string =>
  `(coalesce((select sum(c.entries) from owned_counts c
      where c.account_id = ${owner} and c.list = '${list}' and c.part = any(${parts})), 0)
    + coalesce((select sum(h.change) from owned_count_changes h
      where h.account_id = ${owner} and h.list = '${list}' and h.parts && ${parts}), 0))`;

function withEntry(list: string, { sort, from }: Ranges): NonNullable<KeptCounts<PlatformContext>['ranges']> {
  return {
    sort,
    from,
    at: (context, position, params) => {
      const account = accountOf(context);
      return account === null
        ? null
        : `owned_range_at(${params.add(account)}, '${list}', ${position}, ${sort.descending})`;
    },
  };
}
