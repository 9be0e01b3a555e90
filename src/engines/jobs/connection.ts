/** The connections on which workers take jobs and write their ends; what a job does uses those of the environment. */
import pg from 'pg';
import { connectionOf } from '../db/pool.ts';
import { leaveWhenReadOnly } from '../db/read-only.ts';
import { DatabaseClient, keptAlive } from '../db/servers/client.ts';
import { requestTimeouts, timeoutSettings } from '../db/timeouts.ts';
import type { JobEnvironment } from './environment.ts';

const settings = `set timezone to 'UTC'; ${timeoutSettings(requestTimeouts)}`;

export function openJobPool(env: JobEnvironment, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: connectionOf(env.pool),
    Client: DatabaseClient,
    max,
    ...keptAlive,
    // A server that has vanished without a word must not hold a worker for ever.
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
    application_name: 'trunkline jobs',
    onConnect: (client) => client.query(settings).then(() => undefined),
  });
  pool.on('error', (error) => env.log.warn({ err: error }, 'idle job connection lost'));
  pool.on('connect', leaveWhenReadOnly);
  return pool;
}
