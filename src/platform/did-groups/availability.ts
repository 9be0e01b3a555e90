/** SQL for what can be bought. Stock is counted in thousands-blocks (docs/paging.md), never row by row. */
import { type Filter, flag } from '../../jsonapi/filters.ts';

/** Number of stocked numbers of the group with id `group`. */
export const stockOf = (group: string): string =>
  `coalesce((select sum(b.available) from stock_blocks b where b.did_group_id = ${group}), 0)::int`;

const hasStock = (group: string): string =>
  `exists (select from stock_blocks b where b.did_group_id = ${group} and b.available > 0)`;

/** Whether a group can be ordered now, from stock or as a back order; `g` is the alias of a did_groups row. */
export const orderable = (g: string): string => `(${g}.back_orderable or ${hasStock(`${g}.id`)})`;

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
