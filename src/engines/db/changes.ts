/**
 * The standing connection of one environment in one process: it hears what other processes change (NOTIFY), and it
 * holds the locks that say "this process is alive". What is kept in memory is only trusted while it is up.
 */
import type pg from 'pg';
import type { Logger } from 'pino';
import { connectionOf } from './pool.ts';
import { isReadOnlySql } from './read-only.ts';
import { DatabaseClient, keptAlive } from './servers/client.ts';
import { SharedCounts } from './shared-counts.ts';
import { unlessSilent } from './silence.ts';
import { requestTimeouts, timeoutSettings } from './timeouts.ts';

type Hearer = (about: string) => void;
type OnConnected = (client: pg.Client) => Promise<void>;

const channel = 'trunkline';
const heartbeatMs = 5_000;
/** For what a start does on it first: a busy machine is no reason not to start. */
const startMs = 30_000;
const slowestReconnectMs = 1_000;

export class Changes {
  readonly #connection: string;
  readonly #log: Pick<Logger, 'warn' | 'info' | 'debug'>;
  readonly #hearers = new Map<string, Set<Hearer>>();
  readonly #onConnected = new Set<OnConnected>();
  readonly #onLost = new Set<() => void>();
  #client: pg.Client | null = null;
  #ready = false;
  #closed = false;
  /** One question at a time: rooms that start or stop side by side all use the one connection. */
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #counts: SharedCounts | null = null;

  private constructor(connection: string, log: Pick<Logger, 'warn' | 'info' | 'debug'>) {
    this.#connection = connection;
    this.#log = log;
  }

  static async open(pool: pg.Pool, log: Pick<Logger, 'warn' | 'info' | 'debug'>): Promise<Changes> {
    const changes = new Changes(connectionOf(pool), log);
    await changes.#connect(startMs);
    return changes;
  }

  /** Whether every change made by another process is heard at this moment. */
  get connected(): boolean {
    return this.#ready;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** What the processes of the environment count together; made when a limit first needs it. */
  get counts(): SharedCounts {
    this.#counts ??= new SharedCounts(this, this.#log);
    return this.#counts;
  }

  /** Calls `listener` with the payload of each message of a topic; the returned function stops that. */
  on(topic: string, hearer: Hearer): () => void {
    const hearers = this.#hearers.get(topic) ?? new Set();
    this.#hearers.set(topic, hearers.add(hearer));
    return () => hearers.delete(hearer);
  }

  /** Done at once, and again on every new connection before it counts as connected. */
  async onConnected(action: OnConnected): Promise<() => void> {
    this.#onConnected.add(action);
    await this.withClient(action, startMs);
    return () => this.#onConnected.delete(action);
  }

  /** Runs a statement on this connection, which no request can keep busy; fails while there is none. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const found: { rows: Row[] }[] = [];
    await this.withClient(async (client) => {
      found.push(await client.query<Row>(text, values));
    });
    const [result] = found;
    if (result === undefined) throw new Error('the standing connection to the database is down');
    return result.rows;
  }

  /**
   * Runs what only makes sense on the present connection, such as releasing a lock. If the server does not respond, the
   * connection is dropped.
   */
  async withClient(action: (client: pg.Client) => Promise<unknown>, patienceMs = heartbeatMs): Promise<void> {
    const done = this.#turn.then(async () => {
      const client = this.#client;
      if (client === null || !this.#ready) return;
      await unlessSilent(action(client), patienceMs, (error) => this.#lost(client, error));
    });
    this.#turn = done.catch(() => undefined);
    await done;
  }

  onLost(action: () => void): () => void {
    this.#onLost.add(action);
    return () => this.#onLost.delete(action);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const client = this.#client;
    this.#lose();
    await client?.end().catch(() => undefined);
  }

  async #connect(patienceMs = heartbeatMs): Promise<void> {
    const client = new DatabaseClient({
      connectionString: this.#connection,
      ...keptAlive,
      connectionTimeoutMillis: 10_000,
      application_name: 'trunkline changes',
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('connection ended')));
    client.on('notification', (message) => {
      // Other channels, which rooms listen to by `onConnected`, are topics of their own.
      const payload = message.payload ?? '';
      this.#hear(message.channel === channel ? payload : `${message.channel} ${payload}`);
    });
    this.#client = client;
    try {
      await client.connect();
      const begin = async () => {
        await client.query(timeoutSettings(requestTimeouts));
        await client.query(`listen ${channel}`);
        for (const action of this.#onConnected) await action(client);
      };
      await unlessSilent(begin(), patienceMs);
    } catch (error) {
      if (this.#client === client) this.#client = null;
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.#client !== client || this.#closed) return;
    this.#ready = true;
    this.#beat(client);
  }

  /** A connection that died silently would leave this process without notifications; a regular query finds out. */
  #beat(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      this.withClient(() => requireWritable(client)).then(
        () => {
          if (this.#client === client) this.#beat(client);
        },
        (error: Error) => this.#lost(client, error),
      );
    }, heartbeatMs).unref();
  }

  #hear(payload: string): void {
    const space = payload.indexOf(' ');
    const topic = space < 0 ? payload : payload.slice(0, space);
    for (const hearer of this.#hearers.get(topic) ?? []) hearer(space < 0 ? '' : payload.slice(space + 1));
  }

  #lost(client: pg.Client, error: Error): void {
    if (this.#client !== client || !this.#ready) return;
    this.#log.warn({ err: error }, 'the connection that hears changes was lost');
    this.#lose();
    client.end().catch(() => undefined);
    this.#reconnect(100);
  }

  #lose(): void {
    this.#client = null;
    this.#ready = false;
    for (const action of this.#onLost) action();
  }

  #reconnect(waitMs: number): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#connect().then(
        () => this.#log.info('the connection that hears changes is back'),
        () => this.#reconnect(Math.min(waitMs * 2, slowestReconnectMs)),
      );
    }, waitMs).unref();
  }
}

/** After a failover the former server may live on, read-only: a new connection finds the one that can write. */
async function requireWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ read_only: boolean }>(`select ${isReadOnlySql} as read_only`);
  if (rows[0]?.read_only === true) throw new Error('the database has become read-only');
}
