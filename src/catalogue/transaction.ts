/** A transaction on one connection, used by COPY and Kysely together. */
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import type { PoolClient } from 'pg';
import type { Schema } from '../db/schema.ts';
import type { Environment } from '../environment.ts';

export interface BulkTransaction {
  readonly client: PoolClient;
  /** Runs queries in the same transaction. */
  readonly db: Kysely<Schema>;
}

export async function inBulkTransaction<T>(env: Environment, work: (trx: BulkTransaction) => Promise<T>): Promise<T> {
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
