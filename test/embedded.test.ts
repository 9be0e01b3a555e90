/** The embedded PostgreSQL among processes, kills and awkward folders. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exists } from '../src/base/files.ts';
import { embeddedRecovery, readProgress } from '../src/engines/db/embedded/recovery.ts';
import { type EmbeddedServer, openEmbeddedServer } from '../src/engines/db/embedded.ts';

const isRoot = process.getuid?.() === 0;

let folder: string;
let opened: EmbeddedServer[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-embedded-'));
  await chmod(folder, 0o755);
  opened = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of opened) await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(options: { serving?: boolean; dataDirectory?: string } = {}): Promise<EmbeddedServer> {
  const server = await openEmbeddedServer({ dataDirectory: folder, durable: false, ...options });
  opened.push(server);
  return server;
}

async function ask(server: EmbeddedServer, question: string): Promise<unknown> {
  return Object.values((await run(server.url('postgres'), question))[0] ?? {})[0];
}

async function run(connectionString: string, statement: string): Promise<object[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const lockFile = () => path.join(folder, 'postgres/cluster/postmaster.pid');
const serverPid = async () => Number((await readFile(lockFile(), 'utf8')).split('\n')[0]);

it('is made once when two come at the same moment, and stopped by the last one out', async () => {
  const [one, two] = await Promise.all([open(), open()]);
  expect(one.url('postgres')).toBe(two.url('postgres'));
  await one.close();
  expect(await ask(two, 'select 1')).toBe(1);
  await two.close();
  expect(await exists(lockFile())).toBe(false);
});

it('keeps text as UTF-8, is out of the reach of other users, and makes databases that begin alike', async () => {
  const server = await open();
  expect(await ask(server, `select lower('ÄÖ') || length('日本')`)).toBe('äö2');
  expect(await ask(server, 'show listen_addresses')).toBe('');
  const socketFolder = new URL(server.url('postgres')).searchParams.get('host') ?? '';
  expect(await ask(server, `select (pg_stat_file('${socketFolder}')).isdir`)).toBe(true);

  // Databases that begin alike, also after a start that ended while it filled the first.
  await expect(server.createAlike(['one', 'two'], () => Promise.reject(new Error('killed')))).rejects.toThrow('killed');
  await server.createAlike(['one', 'two'], async (url) => void (await run(url, 'create table a as select 7 as b')));
  await server.createAlike(['two', 'three'], () => Promise.reject(new Error('one of them is there')));
  expect(await run(server.url('one'), 'select b from a')).toEqual([{ b: 7 }]);
  expect(await run(server.url('two'), 'select b from a')).toEqual([{ b: 7 }]);
  expect(
    await ask(
      server,
      `select array_agg(datname::text order by datname::text) from pg_database where not datistemplate`,
    ),
  ).toEqual(['one', 'postgres', 'two']);
});

it('is brought back on the same address when its server is killed', async () => {
  const server = await open();
  const before = server.url('postgres');
  process.kill(await serverPid(), 'SIGKILL');
  await expect.poll(() => ask(server, 'select 1').catch(() => null)).toBe(1);
  expect(server.url('postgres')).toBe(before);
});

it('is brought back when a session of the killed server computes on and holds its memory', async () => {
  const server = await open();
  const busy = new pg.Client({ connectionString: server.url('postgres') });
  busy.on('error', () => undefined);
  await busy.connect();
  const computing = busy
    .query(`select count(*) from generate_series(1, 30000) one, generate_series(1, 30000) other`)
    .catch(() => null);
  await expect
    .poll(() =>
      ask(server, `select count(*)::int from pg_stat_activity where query like '% other' and state = 'active'`),
    )
    .toBe(1);
  process.kill(await serverPid(), 'SIGKILL');
  await expect.poll(() => ask(server, 'select 1').catch(() => null)).toBe(1);
  await computing;
  await busy.end();
});

it('starts over a server whose socket was swept away', async () => {
  const server = await open();
  const before = await serverPid();
  await rm(new URL(server.url('postgres')).searchParams.get('host') ?? '', { recursive: true });
  const again = await open();
  expect(await ask(again, 'select 1')).toBe(1);
  expect(await serverPid()).not.toBe(before);
});

it('starts over a lock file whose process number belongs to somebody else by now', async () => {
  await (await open()).close();
  await writeFile(lockFile(), `${process.pid}\n${folder}\n1\n5432\n/tmp\n\n`);
  expect(await ask(await open(), 'select 1')).toBe(1);
});

it('starts over an empty lock file, as a crash or a full disk leaves it', async () => {
  await (await open()).close();
  await writeFile(lockFile(), '');
  await utimes(lockFile(), 0, 0);
  expect(await ask(await open(), 'select 1')).toBe(1);
});

it('is waited for as long as it says that it is starting, and tells how far it is', async () => {
  const first = await open();
  if (process.platform === 'linux') expect(await ask(first, 'show recovery_init_sync_method')).toBe('syncfs');
  await first.close();
  // A start reads its statistics before it accepts anybody; this one waits for somebody who writes them.
  const statistics = path.join(folder, 'postgres/cluster/pg_stat/pgstat.stat');
  await rm(statistics);
  execFileSync('mkfifo', ['-m', '666', statistics]);
  const told: string[] = [];
  // Longer than a busy machine needs for one look, and shorter than it is made to wait.
  const patience = { start: 3_000, tell: 100 };
  const opening = openEmbeddedServer({
    dataDirectory: folder,
    durable: false,
    patience,
    onRecovery: (progress) => void told.push(progress),
  });
  await Promise.race([expect.poll(() => told.length).toBeGreaterThan(45), opening]);
  expect(embeddedRecovery.progress).toBe('starting');
  await writeFile(statistics, '');
  opened.push(await opening);
  expect(embeddedRecovery.progress).toBeNull();
});

it('reads how far a recovery is from what the server says last', async () => {
  const log = path.join(folder, 'postgres.log');
  expect(await readProgress(log)).toBe('starting');
  const line = (text: string) => `2026-11-18 20:00:00.000 UTC [7] LOG:  ${text}\n`;
  const redo = 'redo in progress, elapsed time: 10.00 s, current LSN: 0/30000D8';
  await writeFile(
    log,
    line('syncing data directory (fsync), elapsed time: 10.00 s, current path: ./base/1') + line(redo),
  );
  expect(await readProgress(log)).toBe(redo);
});

it('is left alone as soon as nobody wants it any more, and leaves nothing half made', async () => {
  for (const at of ['the cluster is made', 'the server starts']) {
    const unwanted = new AbortController();
    const opening = openEmbeddedServer({
      dataDirectory: folder,
      durable: false,
      signal: unwanted.signal,
      onProgram: () => unwanted.abort(new Error(`enough when ${at}`)),
    });
    await expect(opening).rejects.toThrow(`enough when ${at}`);
    expect((await readdir(path.join(folder, 'postgres'))).filter((name) => name.startsWith('new-'))).toEqual([]);
    if (at === 'the cluster is made') await (await open()).close();
  }
  await expect.poll(() => exists(lockFile())).toBe(false);
  expect(await ask(await open(), 'select 1')).toBe(1);
});

it('is not fooled by a first start that was killed while making the cluster', async () => {
  await mkdir(path.join(folder, 'postgres/new-0badcafe'), { recursive: true });
  await writeFile(path.join(folder, 'postgres/new-0badcafe/PG_VERSION'), '18\n');
  expect(await ask(await open(), 'select 1')).toBe(1);
});

it('lets one serve at a time', async () => {
  const first = await open({ serving: true });
  await expect(open({ serving: true })).rejects.toThrow('Another Trunkline is already running on the data folder');
  await first.close();
  await open({ serving: true });
});

it('listens on loopback with a password where a socket name would be too long', async () => {
  const long = path.join(folder, 'x'.repeat(100));
  await mkdir(long);
  vi.stubEnv('TMPDIR', long);
  const server = await open();
  const url = new URL(server.url('postgres'));
  expect(url.hostname).toBe('127.0.0.1');
  expect(await ask(server, 'select 1')).toBe(1);
  url.password = 'wrong';
  const client = new pg.Client({ connectionString: url.href });
  await expect(client.connect()).rejects.toThrow('password authentication failed');
});

it('goes elsewhere, and says so, when its user cannot come to the data folder', async () => {
  const dataDirectory = path.join(folder, 'private/data');
  await mkdir(dataDirectory, { recursive: true });
  await chmod(path.join(folder, 'private'), 0o700);
  const first = await open({ dataDirectory });
  await first.createDatabase('kept');
  await first.close();
  const again = await open({ dataDirectory });
  expect(await ask(again, `select datname from pg_database where datname = 'kept'`)).toBe('kept');
  await again.close();
  const pointer = await readFile(path.join(dataDirectory, 'postgres.location'), 'utf8').catch(() => null);
  if (pointer !== null) await rm(pointer, { recursive: true });
  // Only root lends PostgreSQL another user's name.
  expect(pointer).toEqual(isRoot ? expect.stringMatching(/^\/var\/lib\/trunkline\/cluster-[0-9a-f]{16}$/) : null);
});
