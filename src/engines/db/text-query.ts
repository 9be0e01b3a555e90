/**
 * Reads rows as the database's own text. pg asks the database to describe the columns of every statement and parses
 * that each time; a prepared text has the same columns each time, so here they are asked for once. By hand, on members
 * of `pg` that are not its interface, which a test meets at every upgrade.
 */

import pg, { type Connection, type Pool, type Submittable } from 'pg';
import QuickLRU from 'quick-lru';

/** Every value as the database sends it. */
type TextRow = Record<string, string | null>;

/** `name` is what the text is prepared under; null for a statement that is not prepared. */
export async function readText(pool: Pool, name: string | null, text: string, values: unknown[]): Promise<TextRow[]> {
  const query = new TextQuery(name, text, values);
  await pool.query(query);
  return query.rows;
}

interface Columns {
  names: readonly string[];
  /** A row without values, which rows are copied from: adding members one by one takes longer. */
  empty: TextRow;
}

/** By the names of prepared statements; they are made from the texts, and those are limited for each pool. */
const knownColumns = new QuickLRU<string, Columns>({ maxSize: 2_000 });

type SentValue = string | Buffer | null;

const utils: { prepareValue(value: unknown): SentValue } = Reflect.get(pg, 'utils');

/** What pg's connection has beside its types. */
type Wire = Connection & {
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
};

/** The names of its members are those that pg's client calls and reads. */
export class TextQuery implements Submittable {
  /** Changed to null by a connection that prepares nothing. */
  name: string | null;
  readonly text: string;
  readonly values: unknown[];
  readonly rows: TextRow[] = [];
  /** Set by pg's client. */
  callback: ((error: Error | null, query?: TextQuery) => void) | undefined;
  readonly #sent: SentValue[];
  #columns: Columns | undefined;

  constructor(name: string | null, text: string, values: unknown[]) {
    this.name = name;
    this.text = text;
    this.values = values;
    // Not when it is sent: a value that cannot be would leave the connection in the middle of a message.
    this.#sent = values.map((value) => utils.prepareValue(value));
  }

  submit(connection: Connection): Error | null {
    const wire = connection as Wire;
    const name = this.name ?? '';
    this.#columns = this.name === null ? undefined : knownColumns.get(name);
    wire.stream.cork();
    try {
      if (this.name === null || (wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]) === undefined) {
        wire.parse({ name, text: this.text, types: [] }, true);
        if (this.name !== null) wire.submittedNamedStatements[name] = this.text;
      }
      wire.bind({ portal: '', statement: name, values: this.#sent }, true);
      if (this.#columns === undefined) wire.describe({ type: 'P', name: '' }, true);
      wire.execute({ portal: '', rows: '' }, true);
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly { name: string }[] }): void {
    const names = fields.map(({ name }) => name);
    this.#columns = { names, empty: Object.fromEntries(names.map((name) => [name, null])) };
    if (this.name !== null) knownColumns.set(this.name, this.#columns);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#columns === undefined) throw new Error('the database sent a row before its columns');
    const { names, empty } = this.#columns;
    const row = { ...empty };
    for (let index = 0; index < fields.length; index += 1) row[names[index] ?? ''] = fields[index] ?? null;
    this.rows.push(row);
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.#end(null);
  }

  handleError(error: Error): void {
    this.#end(error);
  }

  /** Once: after an error the database still says that it is ready. */
  #end(error: Error | null): void {
    const { callback } = this;
    this.callback = undefined;
    if (error === null) callback?.(null, this);
    else callback?.(error);
  }
}
