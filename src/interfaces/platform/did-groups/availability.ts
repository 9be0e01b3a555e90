/**
 * SQL for what can be bought. Stock is read from counts that the database keeps (docs/paging.md), never row by row.
 * Numbers that somebody has reserved are not counted, as they are not listed.
 */
import { type Filter, flag } from '../../../engines/jsonapi/filters.ts';
import type { Params } from '../../../engines/jsonapi/sql.ts';

/**
 * A did_groups row `t` with its stock: `n` and `h` are the kept count, and what is to be added to it now; `u` is what
 * suppliers have beyond what is shown.
 */
export const groupsWithStock = ({ now }: { now: Date }, params: Params): string => `did_groups t
  left join stock_counts n on n.scope = 'group' and n.id = t.id
  left join (select did_group_id, sum(change) as change from (${changesOfStock(timeIn(params, now))}) c group by 1) h
    on h.did_group_id = t.id
  left join unshown_stock u on u.did_group_id = t.id`;

export const stockColumn = '(coalesce(n.available, 0) + coalesce(h.change, 0) + coalesce(u.unshown, 0))::int';

/**
 * Whether a group can be ordered now, from stock or as a back order; `g` is the alias of a did_groups row, `now` SQL
 * for the time.
 */
export const orderable = (g: string, now: string): string => `(${g}.back_orderable or ${stockOf(`${g}.id`, now)} > 0)`;

/**
 * Filter `is_available` of a place: true = something can be bought there, false = it has groups but none can be bought.
 */
export const sellsSomethingIn = (column: string): Filter => {
  const groups = `select from did_groups g where g.${column} = t.id`;
  const buyable = (params: Params, now: Date) => `exists (${groups} and ${orderable('g', timeIn(params, now))})`;
  return {
    ...flag(buyable),
    doc: 'Whether anything can be bought there.',
    live: true,
    where: ([wanted], params, now) =>
      wanted ? buyable(params, now) : `(exists (${groups}) and not ${buyable(params, now)})`,
  };
};

/** As SQL. */
const timeIn = (params: Params, now: Date): string => `${params.add(now)}::timestamptz`;

/** What is to be added to the kept counts: changes that are not folded into them yet, less what is reserved. */
const changesOfStock = (now: string): string =>
  `select did_group_id, change from stock_shelf_changes
   union all select did_group_id, -1 from did_reservations where expires_at > ${now}`;

/** Number of numbers for sale of the group whose id is `group` in SQL. */
const stockOf = (group: string, now: string): string =>
  `(coalesce((select n.available from stock_counts n where n.scope = 'group' and n.id = ${group}), 0)
    + coalesce((select sum(c.change) from (${changesOfStock(now)}) c where c.did_group_id = ${group}), 0)
    + coalesce((select u.unshown from unshown_stock u where u.did_group_id = ${group}), 0))::int`;
