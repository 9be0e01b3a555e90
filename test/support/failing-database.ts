/**
 * A PostgreSQL server of a test's own behind a TCP proxy, so that it can fail in every way and be replaced by another.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { superuser } from '../../src/engines/db/embedded/cluster.ts';
import { type EmbeddedServer, openEmbeddedServer } from '../../src/engines/db/embedded.ts';

export const faults = ['killed', 'restarted', 'connections terminated', 'read-only', 'failed over'] as const;
type Fault = (typeof faults)[number];

export interface FailingDatabase {
  /** The same whichever server stands behind the proxy. */
  url(database: string): string;
  /** A pool that goes past the proxy to the server there is now. */
  direct(database: string): pg.Pool;
  /** Resolves when the server can write again. */
  fail(fault: Fault): Promise<void>;
  close(): Promise<void>;
}

const readOnlyMs = 400;
const impatience = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 };
/** Longer than sessions of a killed server can compute on and keep the next one from starting. */
const returnMs = 90_000;

export async function openFailingDatabase(folder: string, databases: readonly string[]): Promise<FailingDatabase> {
  let generation = 0;
  const directory = () => path.join(folder, `server-${generation}`);
  const open = () => openEmbeddedServer({ dataDirectory: directory(), durable: false });
  // PostgreSQL's own user must come there, or the cluster would be kept elsewhere and not be copied with the folder.
  await mkdir(directory(), { mode: 0o755 });
  let server = await open();
  for (const database of databases) await server.createDatabase(database);
  // What was acknowledged is to survive a killed server, also what a test has laid out just before.
  await ask(...databases.map((database) => `alter database ${database} set synchronous_commit = on`));

  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((incoming) => {
    const target = new URL(server.url('postgres'));
    const outgoing = net.connect(`${target.searchParams.get('host')}/.s.PGSQL.${target.searchParams.get('port')}`);
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  async function ask(...questions: string[]): Promise<void> {
    const client = new pg.Client({
      connectionString: server.url('postgres'),
      application_name: 'the test',
      ...impatience,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      for (const question of questions) await client.query(question);
    } finally {
      await client.end();
    }
  }

  async function signalPostmaster(signal: NodeJS.Signals): Promise<void> {
    process.kill(await postmasterPid(directory()), signal);
  }

  const inflict: Record<Fault, () => Promise<void>> = {
    killed: () => signalPostmaster('SIGKILL'),
    // As `pg_ctl restart` does; our own session with the server starts it again.
    restarted: () => signalPostmaster('SIGINT'),
    'connections terminated': () =>
      ask(`select pg_terminate_backend(pid) from pg_stat_activity
           where application_name like 'trunkline%' and pid <> pg_backend_pid()`),
    'read-only': async () => {
      await ask('alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
      await sleep(readOnlyMs);
      const writable = 'set default_transaction_read_only = off';
      await ask(writable, 'alter system reset default_transaction_read_only', 'select pg_reload_conf()');
    },
    'failed over': async () => {
      const former = directory();
      await stopServer(server);
      generation += 1;
      await promisify(execFile)('cp', ['-a', former, directory()]);
      server = await open();
      await rm(former, { recursive: true, force: true });
    },
  };

  return {
    url: (database) => `postgres://${superuser}@127.0.0.1:${port}/${database}`,
    direct: (database) => {
      const pool = new pg.Pool({ connectionString: server.url(database), max: 2 });
      pool.on('error', () => undefined);
      return pool;
    },
    async fail(fault) {
      await inflict[fault]();
      const deadline = performance.now() + returnMs;
      while (performance.now() < deadline) {
        const works = ask('create temporary table writable ()').then(
          () => true,
          () => false,
        );
        if (await works) return;
        await sleep(50);
      }
      throw new Error(`the database did not come back: ${fault}`);
    },
    async close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await stopServer(server);
    },
  };
}

const stopServer = (server: EmbeddedServer): Promise<void> => server.close();

async function postmasterPid(directory: string): Promise<number> {
  const elsewhere = (await readFile(path.join(directory, 'postgres.location'), 'utf8').catch(() => '')).trim();
  const home = elsewhere || path.join(directory, 'postgres');
  return Number((await readFile(path.join(home, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
}
