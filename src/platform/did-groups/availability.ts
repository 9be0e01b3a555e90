import { allOf, explained, type Filter, flag } from '../../jsonapi/filters.ts';
import { FEATURES } from './features.ts';

/** The SQL that says what can be bought. Stock is counted in thousands-blocks (docs/paging.md), never row by row. */

/** Numbers in stock of the group whose id is `group`. */
export const stockOf = (group: string): string =>
  `coalesce((select sum(b.available) from stock_blocks b where b.did_group_id = ${group}), 0)::int`;

const hasStock = (group: string): string =>
  `exists (select from stock_blocks b where b.did_group_id = ${group} and b.available > 0)`;

/** Orderable now, from stock or by back order; `g` is the alias of a did_groups row. */
export const orderable = (g: string): string => `(${g}.back_orderable or ${hasStock(`${g}.id`)})`;

/** `is_available` of a place: true = something can be bought there, false = it has groups but none can. */
export const sellsSomethingIn = (column: string): Filter => {
  const groups = `select from did_groups g where g.${column} = t.id`;
  const buyable = `exists (${groups} and ${orderable('g')})`;
  return {
    ...flag(buyable),
    doc: 'Whether anything can be bought there.',
    where: ([wanted]) => (wanted ? buyable : `(exists (${groups}) and not ${buyable})`),
  };
};

const groupsUnderPrefix = `select from did_group_nanpa_prefixes l join did_groups g on g.id = l.did_group_id
  where l.nanpa_prefix_id = t.id`;

/** A group under the NPA-NXX has numbers of that prefix in stock. */
export const groupUnderPrefixHasStock = explained(
  'Whether numbers under the prefix are in stock.',
  flag(`exists (${groupsUnderPrefix} and exists (select from stock_blocks b
     where b.did_group_id = g.id and b.nanpa_prefix_id = t.id and b.available > 0))`),
);

/** One and the same group under the NPA-NXX offers all the features. */
export const groupUnderPrefixHasFeatures: Filter = {
  ...allOf('g.features', FEATURES),
  doc: 'Features that one group under the prefix offers together.',
  where: (values, params) => `exists (${groupsUnderPrefix} and g.features @> ${params.add(values)}::text[])`,
};
