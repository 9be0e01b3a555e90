/** The parameters of a request: as they were sent, and as `query.ts` has checked them. */
import { ApiError, errors } from './errors.ts';
import type { Filter } from './filters.ts';

/** Decoded; brackets and commas may have been percent-encoded or not. */
export type RawQuery = readonly (readonly [key: string, value: string])[];

/** The parameters of a request, checked against the declarations. */
export interface Query {
  /** Null when `include` was not sent: then there is no `included` member either. */
  include: IncludeTree | null;
  fields: ReadonlyMap<string, ReadonlySet<string>>;
  filters: readonly { name: string; filter: Filter; values: unknown[] }[];
  sort: readonly { column: string; descending: boolean }[];
  page: { number: number; size: number } | null;
  raw: RawQuery;
}

/** Relationship name → what to include below it. */
export interface IncludeTree extends ReadonlyMap<string, IncludeTree> {}

export function readQueryString(url: string): RawQuery {
  const start = url.indexOf('?');
  if (start < 0 || start === url.length - 1) return [];
  const pairs = url
    .slice(start + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0
        ? ([decode(pair), ''] as const)
        : ([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))] as const);
    });
  const seen = new Set<string>();
  for (const [key] of pairs) {
    if (seen.has(key)) throw new ApiError([errors.badRequest(`The parameter ${key} was sent more than once.`)]);
    seen.add(key);
  }
  return pairs;
}

/** For routes that search with what was sent: PostgreSQL knows no NUL in text. */
export function refuseNul(name: string, value = ''): void {
  if (value.includes('\0')) throw new ApiError([errors.invalidFieldValue(value, name)]);
}

/**
 * The same parameters with another page, in alphabetical order and percent-encoded, as the pagination links have them.
 */
export function writePageQuery(raw: RawQuery, number: number, size: number): string {
  const kept = new Map(raw.filter(([key]) => key !== 'page[number]' && key !== 'page[size]'));
  kept.set('page[number]', String(number));
  kept.set('page[size]', String(size));
  return [...kept]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join('&');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError([errors.badRequest('The query string is not correctly percent-encoded.')]);
  }
}
