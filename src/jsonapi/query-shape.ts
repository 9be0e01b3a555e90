/** A query as the engine understands it: what a request wants to see, checked against the declarations. */
import type { Filter } from './filters.ts';
import type { RawQuery } from './query-string.ts';

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
