/** A transaction on one connection that COPY and Kysely use together, and COPY from the program into a table. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';

export interface BulkTransaction {
  readonly client: PoolClient;
  /** Runs queries in the same transaction. */
  readonly db: Kysely<Schema>;
}

export async function inBulkTransaction<T>(
  env: Pick<Environment, 'pool'>,
  work: (trx: BulkTransaction) => Promise<T>,
): Promise<T> {
  const client = await env.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    // An import may take long; the server imports the demo catalogue too, so its timeouts are switched off here.
    await client.query('set local statement_timeout = 0; set local lock_timeout = 0');
    // Parallel imports would only wait for each other's rows. Readers and orders are not blocked.
    await client.query(`select pg_advisory_xact_lock(hashtextextended('trunkline catalogue', 0))`);
    const result = await work({ client, db: kyselyOn(client) });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

function kyselyOn(client: PoolClient): Kysely<Schema> {
  const borrowed = new Proxy(client, {
    get: (target, key) => {
      // The connection is released by the transaction, not after each query.
      if (key === 'release') return () => undefined;
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const pool: PostgresPool = { options: {}, connect: async () => borrowed, end: async () => undefined };
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

type Value = string | number | boolean | null | string[];

/** Of what is sent to the database at once: each piece is a message and a write of its own. */
const pieceLength = 65_536;

/** `lines` are rows in COPY's text format, each ended by a newline; one string may hold several. */
export async function copyLines(
  client: PoolClient,
  target: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  await pipeline(
    Readable.from(inPieces(lines), { objectMode: true }),
    client.query(copyFrom(`copy ${target} from stdin`)),
  );
}

async function* inPieces(lines: Iterable<string> | AsyncIterable<string>): AsyncIterable<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

export async function copyRows(client: PoolClient, table: string, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  await copyLines(
    client,
    `${table} (${columns.join(', ')})`,
    rows.map((row) => copyLine(Object.values(row))),
  );
}

function copyLine(values: Value[]): string {
  return `${values.map(copyValue).join('\t')}\n`;
}

function copyValue(value: Value): string {
  if (value === null) return '\\N';
  if (Array.isArray(value)) return escaped(`{${value.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`);
  return typeof value === 'string' ? escaped(value) : String(value);
}

const special = /[\\\t\n\r]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(text: string): string {
  return text.replace(special, (character) => escapes[character] ?? character);
}
