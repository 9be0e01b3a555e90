/** What every workflow receives with a request to `/v3`, and the parts of it. */
import type { FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Caller } from '../../business/accounts/caller.ts';
import type { WithStockLooks } from '../../business/suppliers/stock/look.ts';
import { parseText } from '../../engines/db/pool.ts';
import { StatementNames } from '../../engines/db/prepared.ts';
import type { Schema } from '../../engines/db/schema.ts';
import { shareNextBy } from '../../engines/db/share-next.ts';
import { readText } from '../../engines/db/text-query.ts';
import { inTransaction, runIn } from '../../engines/db/transaction.ts';
import { besideRequest } from '../../engines/db/work.ts';
import type { Environment, Once } from '../../engines/environment.ts';
import type { EngineContext } from '../../engines/jsonapi/resource.ts';
import type { Row, RunQuery, RunText } from '../../engines/jsonapi/sql.ts';

/** What `/v3` keeps once per process. */
export interface PlatformEnvironment extends Environment, WithStockLooks {
  /** The generation of file encryption keys in progress, so that concurrent requests share it. */
  readonly generatedKeys: Once<Promise<void>>;
  /** The last look at waiting orders, so that a flood of orders does not become a flood of queries. */
  readonly orderLook: Once<{ readonly at: number; readonly backlog: Promise<OrderBacklog> }>;
}

/** The oldest order that is due, and how many of each account. */
export interface OrderBacklog {
  readonly oldest: Date | null;
  readonly byAccount: ReadonlyMap<string, number>;
  readonly total: number;
}

/** The engine's context, with the environment and the caller. */
export interface PlatformContext extends EngineContext {
  readonly env: PlatformEnvironment;
  /** Where creates write: the pool, or the one transaction of a request with an `Idempotency-Key`. */
  readonly db: Kysely<Schema>;
  /** Of a request that makes something, if it names one. */
  readonly idempotencyKey?: string;
  /** Null only on types that are open to everyone. */
  readonly caller: Caller | null;
}

/** The caller of an account-owned type; the engine rejects requests to such a type without a caller. */
export function callerOf(context: PlatformContext): Caller {
  if (!context.caller) throw new Error('this operation needs a caller');
  return context.caller;
}

/** Where clients reach this server: the configured public address, or the request's own scheme and host. */
export function baseUrlOf(env: Pick<Environment, 'publicUrl' | 'path'>, request: FastifyRequest): string {
  return `${env.publicUrl ?? `${request.protocol}://${request.host}`}${env.path ?? ''}`;
}

/** Runs the engine's statements on the pool, which prepares those that repeat. */
export function createQueryRunner(pool: Pool): RunQuery {
  return async (text, values) => (await pool.query<Row>(text, values)).rows;
}

/** Runs them in one transaction. */
export const createTransactionRunner =
  (db: Environment['db']): EngineContext['transaction'] =>
  (work) =>
    inTransaction(db, (trx) => work(runIn(trx)));

/** Runs the same statements without parsing what they return. */
export function createTextRunner(pool: Pool): RunText {
  const names = new StatementNames();
  const share = shareNextBy<Row[]>();
  return {
    query: (text, values) => readText(pool, names.of(text), text, values),
    shared: (text, values, key = values.join()) =>
      share(`${key} ${text}`, () => besideRequest(() => readText(pool, names.of(text), text, values))),
    describe: async (text, values) => {
      const { fields } = await pool.query({ text, values });
      return Object.fromEntries(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
    },
    parse: parseText,
  };
}
