/**
 * Statements that repeat are prepared: each connection then parses and plans a text once. Requests and jobs of the same form
 * have the same text, so a text that occurs a second time gets a name.
 */
import { createHash } from 'node:crypto';
import pg, { type ClientBase } from 'pg';

/** Limits how many plans a connection keeps; further statements are not prepared. */
const mostPrepared = 400;
/** Longer ones are lists of values, such as rows to insert, whose length differs each time. */
const longestText = 6_000;
/** Every column of a table: a prepared statement would fail once a migration has added one. */
const everyColumn = /(select|returning|\.)\s*(distinct\s*)?\*/i;

export type StatementNames = Map<string, string | null>;

/** The name that a text is prepared under; null the first time, and if it is not worth it. */
export function statementName(names: StatementNames, text: string): string | null {
  const known = names.get(text);
  if (known) return known;
  if (known === undefined) {
    if (names.size < mostPrepared && text.length <= longestText && !everyColumn.test(text)) names.set(text, null);
    return null;
  }
  const name = `tl_${createHash('sha1').update(text).digest('hex').slice(0, 20)}`;
  names.set(text, name);
  return name;
}

/** From now on statements with parameters that repeat are prepared on this connection; `names` is shared by those of a pool. */
export function prepareRepeated(client: ClientBase, names: StatementNames): void {
  const query = (...given: unknown[]): unknown => Reflect.apply(pg.Client.prototype.query, client, given);
  const prepared = (...given: unknown[]): unknown => {
    const [text, values] = given;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(...given);
    const name = statementName(names, text);
    return name === null ? query(...given) : query({ name, text, values }, ...given.slice(2));
  };
  Object.defineProperty(client, 'query', { value: prepared, configurable: true, writable: true });
}
