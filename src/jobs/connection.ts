/** How connections of the job queue are set up: their now() is the environment's time (src/db/functions/time). */
import { Logger } from 'graphile-worker';
import pg from 'pg';
import { type Connected, callBack, connectionOf } from '../db/pool.ts';
import { leaveWhenReadOnly } from '../db/read-only.ts';
import { requestTimeouts, timeoutSettings } from '../db/timeouts.ts';
import type { Environment } from '../environment.ts';

const settings = `set timezone to 'UTC'; set search_path to environment_time, pg_catalog, public; ${timeoutSettings(requestTimeouts)}`;

interface JobPoolOptions {
  /** No connection is used before it resolves. */
  readonly ready?: Promise<void>;
  /** Whether nobody waits for the library any more. */
  readonly isOver?: () => boolean;
}

export function openJobPool(env: Environment, max: number, options: JobPoolOptions = {}): pg.Pool {
  const { ready = Promise.resolve(), isOver = () => false } = options;
  const pool = new JobPool(isOver, {
    connectionString: connectionOf(env.pool),
    max,
    keepAlive: true,
    // A server that has vanished without a word must not hold a worker for ever.
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
    application_name: 'trunkline jobs',
    onConnect: async (client) => {
      await ready;
      await client.query(settings);
    },
  });
  pool.on('error', (error) => env.log.warn({ err: error }, 'idle job connection lost'));
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    leaveWhenReadOnly(client);
  });
  return pool;
}

/**
 * The library begins statements of its own when its pool ends (it gives jobs back, and writes ends in batches) and leaves their failures to
 * nobody. So once it is over, what fails there stays unanswered: whoever ended it releases its jobs on other connections.
 *
 * It also gives its listening connection back twice when that breaks while its pool is ending; pg throws then, where
 * nobody can handle it.
 */
class JobPool extends pg.Pool {
  readonly #isOver: () => boolean;

  constructor(isOver: () => boolean, config: pg.PoolConfig) {
    super(config);
    this.#isOver = isOver;
    this.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      const asked = (...given: unknown[]): unknown => {
        const result = query(...given);
        return result instanceof Promise ? result.catch((error) => this.#failed(error)) : result;
      };
      Object.defineProperty(client, 'query', { value: asked, configurable: true, writable: true });
    });
  }

  #failed(error: unknown): Promise<never> {
    if (!this.#isOver()) throw error;
    return new Promise(() => undefined);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connected = super.connect().catch((error) => this.#failed(error));
    return callback === undefined ? connected : callBack(connected, callback, releaseOnce);
  }
}

function releaseOnce(client: pg.PoolClient) {
  let isReleased = false;
  return (error?: Error | boolean) => {
    if (!isReleased) client.release(error);
    isReleased = true;
  };
}

/**
 * The queue's own words go to the environment's log; a finished job is not worth a line. The library keeps its options, and
 * the logger with them, for as long as the process lives, so that must not keep the log of a world that has ended.
 */
export function queueLogger({ log }: Pick<Environment, 'log'>): Logger {
  const kept = new WeakRef(log);
  return new Logger((scope) => (level, message) => {
    const fields = { worker: scope.label, task: scope.taskIdentifier, job: scope.jobId };
    kept.deref()?.[levels[level]](fields, message);
  });
}

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;
