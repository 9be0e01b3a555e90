/** Connections to one environment's database, and how its values look in the program. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Schema } from './schema.ts';

export interface PoolOptions {
  /** The most connections this process opens to this database. */
  max?: number;
  log?: Pick<Logger, 'warn'>;
}

export function createPool(url: string, options: PoolOptions = {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 20,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'trunkline',
    types: { getTypeParser },
    // Text of dates must not depend on the setting of a server that somebody else runs.
    onConnect: (client) => client.query("set timezone to 'UTC'").then(() => undefined),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'idle database connection lost'));
  // One that is in use fails the query under way, which is where it is dealt with.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export function createDatabase(pool: pg.Pool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

const oid = { int8: 20, date: 1082 };

/** int8 is a number, date stays the text YYYY-MM-DD; numeric stays text and timestamptz is a Date, as pg has it. */
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') => {
  if (format !== 'binary') {
    if (id === oid.int8) return parseInteger;
    if (id === oid.date) return (text: string) => text;
  }
  return format === 'binary' ? pg.types.getTypeParser(id, 'binary') : pg.types.getTypeParser(id, 'text');
};

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number; select it as text`);
  return value;
}
