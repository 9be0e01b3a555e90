/** The server process of a cluster: finding a running one, its settings, starting and stopping it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineClock } from '../../../base/clock.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { program } from './binaries.ts';
import { type Cluster, run, superuser } from './cluster.ts';
import { signal } from './signal.ts';

/** Where a server listens: a folder with its socket, or a port on loopback. */
export interface Listener {
  readonly host: string;
  readonly port: number;
}

interface Postmaster extends Listener {
  readonly pid: number;
  /** By its own account. */
  readonly isReady: boolean;
  readonly isStarting: boolean;
  readonly isStopping: boolean;
}

/** The name of a Unix socket has at most 107 bytes on Linux and 103 on macOS. */
const longestSocketFolder = 80;

/** The server that runs on the cluster, started by this process or another. Its lock file says where it listens. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const file = path.join(cluster.directory, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text?.trim() === '') await removeEmpty(file);
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  const [pidLine, , , port, socketFolder, address, , status] = lines;
  const pid = Number(pidLine);
  if (!(pid > 0)) return null;
  if (!(await isServerOf(cluster, pid))) {
    // Left by a server that was killed. PostgreSQL itself copes unless another process has the number by now.
    await rm(file, { force: true });
    return null;
  }
  const states = { isReady: status === 'ready', isStarting: status === 'starting', isStopping: status === 'stopping' };
  return { pid, host: socketFolder || address || '127.0.0.1', port: Number(port), ...states };
}

/** A server writes its lock file in the moment in which it makes it. */
const writtenWithinMs = 2_000;

/** What a crash or a full disk has left: PostgreSQL would not start over it. */
async function removeEmpty(file: string): Promise<void> {
  const { size, mtimeMs } = await stat(file);
  if (size < 2 && machineClock.now().getTime() - mtimeMs > writtenWithinMs) await rm(file, { force: true });
}

/**
 * A new place to listen at, or the one that connections are looking for, with its folder made again if that is gone.
 */
export async function chooseListener(cluster: Cluster, keep: Listener | null): Promise<Listener> {
  const overSocket = keep === null ? canUseSocket() : path.isAbsolute(keep.host);
  if (!overSocket) return keep ?? { host: '127.0.0.1', port: await freePort() };
  const folder = keep?.host ?? (await mkdtemp(path.join(os.tmpdir(), 'trunkline-pg-')));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  if (cluster.identity !== null) await chown(folder, cluster.identity.uid, cluster.identity.gid);
  return keep ?? { host: folder, port: 5432 };
}

function canUseSocket(): boolean {
  return process.platform !== 'win32' && os.tmpdir().length < longestSocketFolder;
}

/** Forgets the socket's folder of a server that has stopped. */
export async function discardListener(listener: Listener): Promise<void> {
  if (path.basename(listener.host).startsWith('trunkline-pg-'))
    await rm(listener.host, { recursive: true, force: true });
}

/**
 * Starts the server detached, so that Ctrl-C in a terminal does not reach it; it accepts connections some moments
 * later.
 */
export async function launch(
  cluster: Cluster,
  listener: Listener,
  settings: Record<string, string>,
): Promise<Launched> {
  await rename(cluster.log, `${cluster.log}.previous`).catch(() => undefined);
  const log = await open(cluster.log, 'a', 0o600);
  const overSocket = path.isAbsolute(listener.host);
  const all = {
    ...settings,
    port: String(listener.port),
    listen_addresses: overSocket ? '' : listener.host,
    unix_socket_directories: overSocket ? listener.host : '',
    unix_socket_permissions: '0700',
  };
  const child = spawn(
    program(cluster.binaries, 'postgres'),
    ['-D', cluster.directory, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { cwd: cluster.home, detached: true, stdio: ['ignore', log.fd, log.fd], windowsHide: true, ...cluster.identity },
  );
  const launched: Launched = { pid: child.pid ?? 0, failure: null };
  child.once('error', (error) => {
    launched.failure = error.message;
  });
  child.once('exit', async () => {
    launched.failure = await lastLines(cluster.log);
  });
  await Promise.race([once(child, 'spawn'), once(child, 'error').then(([error]) => Promise.reject(error))]).finally(
    () => log.close(),
  );
  child.unref();
  return launched;
}

/** What became of a launch: the reason once the process has ended. */
export interface Launched {
  readonly pid: number;
  failure: string | null;
}

/** Ends its connections and stops it cleanly. Its lock file goes last; another server may have one there at once. */
export async function stop(cluster: Cluster, pid: number): Promise<void> {
  if (process.platform === 'win32') {
    return run(cluster, 'pg_ctl', undefined, ['stop', '-D', cluster.directory, '-m', 'fast', '-w', '-t', '60']);
  }
  signal(pid, 'SIGINT');
  const deadline = performance.now() + 60_000;
  while ((await findPostmaster(cluster))?.pid === pid) {
    if (performance.now() > deadline)
      throw new OperatorError(`The embedded PostgreSQL does not stop (see ${cluster.log}).`);
    await sleep(20);
  }
}

export function connectionUrl(cluster: Cluster, listener: Listener, database: string): string {
  if (path.isAbsolute(listener.host)) {
    return `postgres://${superuser}@localhost/${database}?host=${encodeURIComponent(listener.host)}&port=${listener.port}`;
  }
  return `postgres://${superuser}:${cluster.password}@${listener.host}:${listener.port}/${database}`;
}

/** On Linux a server is known by its working folder; elsewhere a living process with that number is believed. */
async function isServerOf(cluster: Cluster, pid: number): Promise<boolean> {
  if (!signal(pid, 0)) return false;
  if (process.platform !== 'linux') return true;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  return folder === (await realpath(cluster.directory));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new OperatorError('No free port on 127.0.0.1.');
  return address.port;
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-3).join(' ') || 'it ended without a word';
}

/** How the embedded server is tuned: modest memory, two databases of an interactive service on one machine. */
export function serverSettings(durable: boolean): Record<string, string> {
  return {
    // Two environments, and up to twelve for each world that is in use: with as many worlds as there may be (64 unless
    // a setting says otherwise) none of them, and no environment, finds the server full.
    max_connections: '900',
    shared_buffers: '256MB',
    effective_cache_size: '1GB',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    random_page_cost: '1.1',
    jit: 'off',
    // Parallel queries need /dev/shm, which containers keep small; no query here gains from them.
    max_parallel_workers_per_gather: '0',
    // No replica hangs on an embedded server, so the log carries only what a crash needs.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '1GB',
    checkpoint_timeout: '15min',
    // Before a recovery every file is brought to disk. One by one, as usual, they take a minute for ten thousand of
    // them.
    ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
    log_startup_progress_interval: '5s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_line_prefix: '%m [%p] ',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  };
}
