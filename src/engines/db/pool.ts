/** Connections to one environment's database, how they are shared out, and how its values look in the program. */

import { connect } from 'node:net';
import { Kysely, PostgresDialect } from 'kysely';
import type { ClientBase } from 'pg';
import pg from 'pg';
import type { Logger } from 'pino';
import { Admission, type AdmissionLimits, type Leave } from './admission.ts';
import { noteChanges } from './outcome.ts';
import { prepareNothing, prepareRepeated, StatementNames } from './prepared.ts';
import { leaveWhenReadOnly } from './read-only.ts';
import type { Schema } from './schema.ts';
import { DatabaseClient, keptAlive } from './servers/client.ts';
import { traceStatements } from './statement-spans.ts';
import { requestTimeouts, timeoutSettings } from './timeouts.ts';
import { currentWork } from './work.ts';

export interface PoolOptions {
  /** The most connections this process opens to this database. */
  max?: number;
  /** How many of them the requests of one account may hold at a time. */
  perAccount?: number;
  /** How long a request waits for connections before it is refused. */
  requestWaitMs?: number;
  timeouts?: typeof requestTimeouts;
  /**
   * The same database past a pooler in transaction mode, which gives each transaction another session: then nothing is
   * prepared, and what belongs to a session (LISTEN, locks, settings) uses a connection to this address.
   */
  directUrl?: string | null;
  log?: Pick<Logger, 'warn'>;
}

/** To open a connection, or for a job to get one. */
const patienceMs = 10_000;
/** A new connection has to plan every statement again, which takes longer than many uses of it. */
const idleMs = 60_000;

export function createPool(url: string, options: PoolOptions = {}): pg.Pool {
  const { max = 20, directUrl = null } = options;
  // The text of dates must not depend on the settings of the operator's server. In transaction mode a pooler gives the
  // timeouts of one client to others, so there the role has them (docs/deploy.md).
  const timeouts = directUrl === null ? `; ${timeoutSettings(options.timeouts ?? requestTimeouts)}` : '';
  const settings = `set timezone to 'UTC'${timeouts}`;
  const pool = new SharedPool(
    {
      connectionString: url,
      Client: DatabaseClient,
      max,
      connectionTimeoutMillis: patienceMs,
      idleTimeoutMillis: idleMs,
      ...keptAlive,
      application_name: 'trunkline',
      types: { getTypeParser },
      onConnect: (client) => client.query(settings).then(() => undefined),
    },
    {
      total: max,
      perAccount: Math.min(options.perAccount ?? shareOf(max), max),
      platform: Math.max(1, Math.floor(max * 0.8)),
      // With so few a job that needs two at a time must find them.
      other: max < 4 ? max : Math.ceil(max * 0.75),
      requestWaitMs: options.requestWaitMs ?? patienceMs,
      otherWaitMs: patienceMs,
    },
  );
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'idle database connection lost'));
  const names = new StatementNames();
  if (directUrl !== null) directUrls.set(pool, directUrl);
  pool.on('connect', (client) => {
    leaveWhenReadOnly(client);
    if (directUrl === null) prepareRepeated(client, names);
    else prepareNothing(client);
    traceStatements(client);
    noteChanges(client);
  });
  return pool;
}

/** Pools behind a pooler in transaction mode. */
const directUrls = new WeakMap<pg.Pool, string>();

type Session = pg.ClientBase & { release(error?: Error | boolean): void };

/** A session for as long as the caller needs it: of the pool, or past the pooler. `release` gives it back. */
export async function connectSession(pool: pg.Pool): Promise<Session> {
  const url = directUrls.get(pool);
  if (url === undefined) return pool.connect();
  const client = new DatabaseClient({
    connectionString: url,
    ...keptAlive,
    application_name: 'trunkline session',
    types: { getTypeParser },
  });
  await client.connect();
  await client.query("set timezone to 'UTC'");
  return Object.assign(client, { release: () => void client.end().catch(() => undefined) });
}

/** What one account may hold unless the operator says otherwise. */
export const shareOf = (connections: number): number => Math.max(1, Math.ceil(connections * 0.4));

type Release = (error?: Error | boolean) => void;
type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void;

/** `connect` as pg itself also calls it, with a callback. */
function callBack(connected: Promise<pg.PoolClient>, callback: Connected): undefined {
  connected.then(
    (client) => callback(undefined, client, client.release),
    (error: Error) => callback(error, undefined, () => undefined),
  );
}

/** A pool that hands out connections in the order of `Admission`, and cancels reads whose client has disconnected. */
class SharedPool extends pg.Pool {
  readonly #admission: Admission;

  constructor(config: pg.PoolConfig, limits: AdmissionLimits) {
    super(config);
    this.#admission = new Admission(limits);
    Object.defineProperty(this, 'waitingCount', { get: () => this.#admission.waiting });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connected = this.#connect();
    return callback === undefined ? connected : callBack(connected, callback);
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | void {
    this.#admission.close();
    return callback === undefined ? super.end() : super.end(callback);
  }

  async #connect(): Promise<pg.PoolClient> {
    const leave = await this.#admission.enter(currentWork());
    try {
      return this.#watch(await super.connect(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #watch(client: pg.PoolClient, leave: Leave): pg.PoolClient {
    const work = currentWork();
    let cancelled = false;
    const gone = () => {
      cancelled = true;
      cancelStatement(client);
    };
    if (work?.reads) work.client.onGone(gone);
    const { release } = client;
    client.release = (error) => {
      work?.client.removeListener(gone);
      // A cancel request that arrives late would hit the next user of this connection. Kysely passes false, not
      // undefined.
      release.call(client, error || cancelled);
      leave();
    };
    return client;
  }
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

/** A value as the pool returns it, from the text of a column of this type. */
export const parseText = (type: number, text: string): unknown => getTypeParser(type, 'text')(text);

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number; select it as text`);
  return value;
}

const cancelRequest = 80_877_102;

/**
 * Asks the server to stop what a connection is doing, over a second connection as the protocol requires. Waits for
 * nothing and ignores failures: the statement timeout ends the work in any case.
 */
function cancelStatement(client: ClientBase): void {
  const host = member(client, 'host');
  const [port, processId, secret] = [member(client, 'port'), member(client, 'processID'), member(client, 'secretKey')];
  if (typeof host !== 'string' || typeof processId !== 'number' || typeof secret !== 'number') return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(cancelRequest, 4);
  message.writeInt32BE(processId, 8);
  message.writeInt32BE(secret, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
  socket.setTimeout(2_000, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.end(message);
}

function member(client: ClientBase, name: string): unknown {
  return Reflect.get(client, name);
}

/** Where a pool's database is, for connections that must be set up in another way: past a pooler. */
export function connectionOf(pool: pg.Pool): string {
  const url = directUrls.get(pool) ?? pool.options.connectionString;
  if (url === undefined) throw new Error('a database pool is made from a URL');
  return url;
}
