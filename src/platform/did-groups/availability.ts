/** SQL for what can be bought. Stock is read from counts that the database keeps (docs/paging.md), never row by row. */
import { type Filter, flag } from '../../jsonapi/filters.ts';

/** A did_groups row `t` with its stock: `n` and `h` are the kept count and the changes that are not folded into it yet. */
export const groupsWithStock = `did_groups t
  left join stock_counts n on n.scope = 'group' and n.id = t.id
  left join (select did_group_id, sum(change) as change from stock_shelf_changes group by 1) h on h.did_group_id = t.id`;

export const stockColumn = '(coalesce(n.available, 0) + coalesce(h.change, 0))::int';

/** Number of stocked numbers of the group with id `group`. */
const stockOf = (group: string): string =>
  `(coalesce((select n.available from stock_counts n where n.scope = 'group' and n.id = ${group}), 0)
    + coalesce((select sum(h.change) from stock_shelf_changes h where h.did_group_id = ${group}), 0))::int`;

/** Whether a group can be ordered now, from stock or as a back order; `g` is the alias of a did_groups row. */
export const orderable = (g: string): string => `(${g}.back_orderable or ${stockOf(`${g}.id`)} > 0)`;

/**
 * Filter `is_available` of a place: true = something can be bought there, false = it has groups but none can be bought.
 */
export const sellsSomethingIn = (column: string): Filter => {
  const groups = `select from did_groups g where g.${column} = t.id`;
  const buyable = `exists (${groups} and ${orderable('g')})`;
  return {
    ...flag(buyable),
    doc: 'Whether anything can be bought there.',
    live: true,
    where: ([wanted]) => (wanted ? buyable : `(exists (${groups}) and not ${buyable})`),
  };
};
