/** The kinds of filters that a declaration can use: each parses its value and makes a condition of it. */
import { readMoment } from '../../base/time-text.ts';
import { isUuid } from '../../base/uuid.ts';
import type { Meanings } from './facts.ts';
import type { Params } from './sql.ts';

/** What a filter states about itself, for parsing, the OpenAPI text and the comparison with the contract. */
export interface FilterFacts {
  match: 'exact' | 'all' | 'contains' | 'boolean' | 'gteq' | 'lteq';
  list?: boolean;
  caseInsensitive?: boolean;
  blank?: boolean;
  value?: 'integer' | 'datetime' | 'date';
  round?: 'end_of_day';
  minLength?: number;
  minLengthWaivedBy?: readonly string[];
  maxAgeDays?: number;
  aliasOf?: string;
}

export interface Filter {
  facts: FilterFacts;
  /** One line for the API reference, where the name alone does not lead to an attribute or relationship. */
  doc?: string;
  /** The accepted values, or null when the text is not a value this filter takes. */
  parse: (text: string) => unknown[] | null;
  /** The types that it looks at beside its own, if they are not those of the relationship that its name begins with. */
  reads?: readonly string[];
  /** It reads more than reference data, such as stock: a response that it shaped is not kept. */
  live?: boolean;
  /** The condition over the row alias `t`; `now` is the time of the request. */
  where: (values: unknown[], params: Params, now: Date) => string;
  /** The text that refuses a value (code 107), if the usual one does not fit. */
  refusal?: (values: unknown[], now: Date) => string | null;
  /** The allowed values, for the OpenAPI text, and what each means. */
  enum?: readonly string[];
  meanings?: Meanings;
  format?: 'uuid';
  /** The same filter with regard to case, where this one has none. */
  bySpelling?: Filter;
  /** Value → the feature without which a caller may not ask for it. */
  features?: Readonly<Record<string, string>>;
}

interface MatchOptions {
  caseInsensitive?: boolean;
  /** An empty value is accepted and matches rows without one. */
  blank?: boolean;
  /** The accepted words with their meanings. */
  values?: Meanings;
  /** Exactly one value instead of a comma list. */
  single?: boolean;
  aliasOf?: string;
  features?: Filter['features'];
}

/** Matches any of a comma list, as text. */
export const anyOf = (column: string, options: MatchOptions = {}): Filter => {
  const words = options.values && Object.keys(options.values);
  return {
    ...exact(column, 'text', options, (part) => (words && !words.includes(part) ? null : part)),
    ...(words ? { enum: words } : {}),
    ...(options.values ? { meanings: options.values } : {}),
  };
};

/** Matches any of a comma list of ids. */
export const anyId = (column: string, options: MatchOptions = {}): Filter => ({
  ...exact(column, 'uuid', options, (part) => (isUuid(part) ? part : null)),
  format: 'uuid',
});

/** Matches any of a comma list of whole numbers. */
export const anyInteger = (column: string, options: MatchOptions = {}): Filter =>
  exact(column, 'int', options, (part) => (/^-?\d{1,9}$/.test(part) ? Number(part) : null));

/** Every word of the comma list must be in the array column. */
export const allOf = (column: string, values: Meanings): Filter => ({
  facts: { match: 'all', list: true },
  enum: Object.keys(values),
  meanings: values,
  parse: (text) => {
    const parts = text.split(',');
    return parts.every((part) => Object.hasOwn(values, part)) ? parts : null;
  },
  where: (parts, params) => `${column} @> ${params.add(parts)}::text[]`,
});

interface ContainsOptions {
  blank?: boolean;
}

export const contains = (column: string, options: ContainsOptions = {}): Filter => ({
  facts: { match: 'contains', ...(options.blank ? { blank: true } : {}) },
  parse: (text) => (text === '' && !options.blank ? null : [text]),
  where: ([value], params) =>
    value === ''
      ? `(${column} is null or ${column} = '')`
      : `position(${params.add(value)}::text in ${column}::text) > 0`,
});

/** True or false; `condition` is SQL that is true for the rows of `true`. */
export const flag = (condition: string | ((params: Params, now: Date) => string)): Filter => ({
  facts: { match: 'boolean' },
  parse: (text) => (text === 'true' ? [true] : text === 'false' ? [false] : null),
  where: ([wanted], params, now) => {
    const sql = typeof condition === 'string' ? condition : condition(params, now);
    return wanted ? `(${sql})` : `not coalesce((${sql}), false)`;
  },
});

export const atLeast = (column: string): Filter => ({
  facts: { match: 'gteq', value: 'integer' },
  parse: (text) => (/^-?\d{1,9}$/.test(text) ? [Number(text)] : null),
  where: ([value], params) => `${column} >= ${params.add(value)}`,
});

interface TimeOptions {
  round?: 'end_of_day';
  /** Days the value may lie back, with the text that refuses an older one. */
  maxAge?: { days: number; refusal: string };
}

export const since = (column: string, options: TimeOptions = {}): Filter => time('gteq', column, '>=', options);
export const until = (column: string, options: TimeOptions = {}): Filter => time('lteq', column, '<=', options);

/** The filter with a line of its own for the API reference. */
export const explained = (doc: string, filter: Filter): Filter => ({ ...filter, doc });

/** The filter with the types that it looks at beside its own. */
export const reading = (reads: readonly string[], filter: Filter): Filter => ({ ...filter, reads });

/**
 * A filter on another table's row `r`, as a join the planner can choose the side of. The table has the name of its
 * type.
 */
export const inRow = (table: string, key: string, filter: Filter): Filter => ({
  ...filter,
  reads: [table],
  where: (values, params, now) =>
    `exists (select from ${table} r where r.id = ${key} and ${filter.where(values, params, now)})`,
});

function exact(column: string, sqlType: string, options: MatchOptions, accept: (part: string) => unknown): Filter {
  const fold = options.caseInsensitive === true;
  return {
    facts: {
      match: 'exact',
      ...(options.single ? {} : { list: true }),
      ...(fold ? { caseInsensitive: true } : {}),
      ...(options.blank ? { blank: true } : {}),
      ...(options.aliasOf ? { aliasOf: options.aliasOf } : {}),
    },
    ...(options.features ? { features: options.features } : {}),
    ...(fold ? { bySpelling: exact(column, sqlType, { ...options, caseInsensitive: false }, accept) } : {}),
    parse: (text) => {
      const values = (options.single ? [text] : text.split(',')).map((part) =>
        part === '' ? (options.blank ? blankValue : null) : accept(fold ? part.toLowerCase() : part),
      );
      return values.includes(null) ? null : values;
    },
    where: (values, params) => {
      const present = values.filter((value) => value !== blankValue);
      const left = fold ? `lower(${column})` : column;
      // Equality with one value, not with any of a list: only that lets an index give the rows in the order of its next
      // column.
      const [only] = present;
      const one = present.length === 1 ? `${left} = ${params.add(only)}::${sqlType}` : null;
      const match = present.length > 1 ? `${left} = any(${params.add(present)}::${sqlType}[])` : one;
      const absent = present.length < values.length ? `${column} is null` : null;
      return `(${[match, absent].filter(Boolean).join(' or ')})`;
    },
  };
}

const blankValue = Symbol('blank');

function time(match: 'gteq' | 'lteq', column: string, operator: string, options: TimeOptions): Filter {
  const { maxAge } = options;
  return {
    facts: {
      match,
      value: 'datetime',
      ...(options.round ? { round: options.round } : {}),
      ...(maxAge ? { maxAgeDays: maxAge.days } : {}),
    },
    parse: (text) => {
      const at = readMoment(text);
      if (!at) return null;
      if (options.round === 'end_of_day') at.setUTCHours(23, 59, 59, 999);
      return [at];
    },
    where: ([at], params) => `${column} ${operator} ${params.add(at)}::timestamptz`,
    ...(maxAge
      ? {
          refusal: ([at]: unknown[], now: Date) =>
            at instanceof Date && at.getTime() < now.getTime() - maxAge.days * 86_400_000 ? maxAge.refusal : null,
        }
      : {}),
  };
}
