/**
 * Statements that repeat are prepared: each connection then parses and plans a text once. Requests and jobs of the same
 * form have the same text, so a text that occurs a second time gets a name.
 */

import { createHash } from 'node:crypto';
import pg, { type ClientBase } from 'pg';
import QuickLRU from 'quick-lru';
import { TextQuery } from './text-query.ts';

/** Limits how many plans a connection keeps; further statements are not prepared. */
const mostPrepared = 400;
/** Longer ones are lists of values, such as rows to insert, whose length differs each time. */
const longestText = 6_000;
/** Every column of a table: a prepared statement would fail once a migration has added one. */
const everyColumn = /(select|returning|\.)\s*(distinct\s*)?\*/i;

/**
 * In a text that must be planned for its values each time: how many rows a pattern matches decides which index is best,
 * and a prepared statement gets one plan for all patterns after five runs.
 */
export const planEachTime = '/* plan each time */';

/** What a pool has seen: once, or often enough to have a name. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #once = new QuickLRU<string, true>({ maxSize: mostPrepared });

  /** The name that a text is prepared under; null the first time, and if it is not worth it. */
  of(text: string): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= mostPrepared || text.length > longestText || everyColumn.test(text)) return null;
    if (text.includes(planEachTime)) return null;
    if (this.#once.delete(text)) {
      const name = `tl_${createHash('sha1').update(text).digest('hex').slice(0, 20)}`;
      this.#names.set(text, name);
      return name;
    }
    this.#once.set(text, true);
    return null;
  }
}

/**
 * From now on no statement of this connection is prepared, whoever asks for it: behind a pooler each may meet another
 * session.
 */
export function prepareNothing(client: ClientBase): void {
  const query = (...given: unknown[]): unknown => Reflect.apply(pg.Client.prototype.query, client, given);
  const unprepared = (...given: unknown[]): unknown => {
    const [config, ...rest] = given;
    if (config instanceof TextQuery) config.name = null;
    if (typeof config !== 'object' || config === null || !('name' in config) || 'submit' in config)
      return query(...given);
    const { name: _, ...unnamed } = config;
    return query(unnamed, ...rest);
  };
  Object.defineProperty(client, 'query', { value: unprepared, configurable: true, writable: true });
}

/**
 * From now on statements with parameters that repeat are prepared on this connection; `names` is shared by those of a
 * pool.
 */
export function prepareRepeated(client: ClientBase, names: StatementNames): void {
  const query = (...given: unknown[]): unknown => Reflect.apply(pg.Client.prototype.query, client, given);
  const prepared = (...given: unknown[]): unknown => {
    const [text, values] = given;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(...given);
    const name = names.of(text);
    return name === null ? query(...given) : query({ name, text, values }, ...given.slice(2));
  };
  Object.defineProperty(client, 'query', { value: prepared, configurable: true, writable: true });
}
