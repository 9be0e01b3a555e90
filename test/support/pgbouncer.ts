/** Debian's PgBouncer, in front of a database of the run's server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface PgBouncer {
  readonly url: string;
  stop(): Promise<void>;
}

/** `sessions` is how many connections to PostgreSQL all clients share. */
export async function startPgBouncer(
  databaseUrl: string,
  sessions: number,
  mode: 'session' | 'transaction',
): Promise<PgBouncer> {
  const { pathname, username, port, hostname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? hostname;
  const serverPort = searchParams.get('port') ?? (port || '5432');
  const database = pathname.slice(1);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-pgbouncer-'));
  await chmod(folder, 0o755);
  const listenPort = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${database} = host=${host} port=${serverPort} dbname=${database} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${sessions}
max_client_conn = 200
`,
  );
  // It refuses to run as root; the owner of PostgreSQL's socket is who may connect to it.
  const owner = process.getuid?.() === 0 && path.isAbsolute(host) ? await stat(host) : null;
  const child = spawn('pgbouncer', ['-q', file], {
    stdio: 'ignore',
    ...(owner === null ? {} : { uid: owner.uid, gid: owner.gid }),
  });
  const url = `postgres://${username}@127.0.0.1:${listenPort}/${database}`;
  const deadline = performance.now() + 120_000;
  while (!(await canConnect(url))) {
    if (performance.now() > deadline || child.exitCode !== null) throw new Error('PgBouncer does not answer');
    await sleep(50);
  }
  return {
    url,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
