/**
 * What the look-ups share: the customer, filters by time, search by a part of a text, and how far lists are counted.
 */
import { planEachTime } from '../../../engines/db/prepared.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { explained, type Filter, since, until } from '../../../engines/jsonapi/filters.ts';

export const account = toOne('accounts', { doc: 'The customer.' });
export const accountOrNone = toOne('accounts', { nullable: true, doc: 'The customer.' });

/** For types that grow without end: the first page must not wait for a count of millions. */
export const endless = { mostCounted: 10_000 } as const;

/** Which plan is best depends on the values: for few of many, or on how much of the table a period is. */
export const plannedEachTime = (filter: Filter): Filter => ({
  ...filter,
  where: (values, params, now) => `${planEachTime} ${filter.where(values, params, now)}`,
});

const timesOf = (column: string) => ({ since: plannedEachTime(since(column)), until: plannedEachTime(until(column)) });
const created = timesOf('t.created_at');

export const createdBetween = {
  created_at_gteq: explained('Created at this time or later.', created.since),
  created_at_lteq: explained('Created at this time or earlier.', created.until),
};

export const between = (name: string, column: string): Readonly<Record<string, Filter>> => ({
  [`${name}_gteq`]: explained('At this time or later.', timesOf(column).since),
  [`${name}_lteq`]: explained('At this time or earlier.', timesOf(column).until),
});

/** A part of a text, in a form that a trigram index serves. `expression` is indexed as it is written here. */
export const partOf = (expression: string, { minLength = 3, lower = false } = {}): Filter => ({
  facts: { match: 'contains', minLength },
  parse: (value) => (value === '' ? null : [lower ? value.toLowerCase() : value]),
  where: ([value], params) =>
    `${planEachTime} ${expression} like ${params.add(`%${escapeLike(String(value))}%`)}::text`,
});

/**
 * For small tables: no index is needed. The collation is named, since columns of different ones may be joined in the
 * text.
 */
export const partOfText = (what: string, expression: string): Filter =>
  explained(
    `A part of ${what}, in any case.`,
    partOf(`lower((${expression}) collate "und-x-icu")`, { minLength: 1, lower: true }),
  );

/** The beginning of a text, in a form that an index with `text_pattern_ops` serves. `expression` is in lower case. */
export const beginningOf = (what: string, expression: string): Filter => ({
  facts: { match: 'exact' },
  doc: `The beginning of ${what}, in any case.`,
  parse: (value) => (value === '' ? null : [value.toLowerCase()]),
  where: ([value], params) => `${planEachTime} ${expression} like ${params.add(`${escapeLike(String(value))}%`)}::text`,
});

/** The whole number, or its first digits followed by `*`. */
export const numberFrom = (column: string): Filter => ({
  facts: { match: 'exact' },
  doc: 'The whole number, or its first digits and `*`.',
  parse: (value) => (/^\+?[\w#*-]{2,40}$/.test(value) ? [value.replace(/^\+/, '')] : null),
  where: ([value], params) => {
    const text = String(value);
    return text.endsWith('*')
      ? `${planEachTime} ${column} like ${params.add(`${escapeLike(text.slice(0, -1))}%`)}::text`
      : `${column} = ${params.add(text)}::text`;
  },
});

export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
