/**
 * The restore drill of docs/backup.md with PostgreSQL's own programs: a dump into an empty database, and a base backup
 * with its WAL up to the moment before a mistake, beside a standby, which repeats every mistake and is made anew. What
 * comes back is what Trunkline checks: accounts, balances, the ledger.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createBench } from './support/boot.ts';
import { freePort } from './support/datagrams.ts';
import { postgresPrograms } from './support/postgres-programs.ts';

const { start } = createBench();
const variables = { TRUNKLINE_PORT: 'off', TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 5).toString('base64') };

it('what a dump or a base backup with its log holds comes back whole', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-drill-'));
  const { own, run: pgProgram } = await postgresPrograms();
  const stop = (cluster: string) =>
    pgProgram('pg_ctl', 'stop', '-D', cluster, '-m', 'fast', '-w').catch(() => undefined);
  const cluster = path.join(folder, 'cluster');
  const standby = path.join(folder, 'standby');
  const restored = path.join(folder, 'restored');
  const follower = path.join(folder, 'follower');
  onTestFinished(async () => {
    for (const each of [cluster, standby, restored, follower]) await stop(each);
    await rm(folder, { recursive: true, force: true });
  });
  await own(folder);
  const archive = await own((await mkdir(path.join(folder, 'archive'), { recursive: true })) ?? '');
  const boot = async (data: string, port: number) => {
    const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
    await pgProgram('pg_ctl', 'start', '-D', data, '-w', '-l', path.join(folder, 'log'), '-o', options);
  };
  const urlOf = (port: number, name: string) => `postgres://trunkline@127.0.0.1:${port}/${name}`;
  const ask = async (url: string, statement: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client.query(statement).finally(() => client.end());
  };
  const trunkline = async (url: string, ...words: string[]) => {
    const process = await start('drill', { ...variables, SANDBOX_DATABASE_URL: url }, words);
    expect([await process.ended(), process.stderr()]).toEqual([0, '']);
    return process.stdout();
  };
  /** A command opens the database with this server key and this schema, so it checks both. */
  const accountsIn = async (url: string) => {
    expect(await trunkline(url, 'ledger', 'verify', '--env', 'sandbox')).toMatch(/\S/);
    return (await ask(url, 'select name, balance::text from accounts order by name')).rows;
  };
  const acme = { name: 'Acme', balance: expect.stringMatching(/^12\.50*$/) };

  await pgProgram('initdb', '-D', cluster, '-U', 'trunkline', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8');
  await writeFile(
    path.join(cluster, 'postgresql.auto.conf'),
    `wal_level = replica\narchive_mode = on\narchive_command = 'cp %p ${archive}/%f'\n`,
  );
  const port = await freePort();
  await boot(cluster, port);
  for (const name of ['live', 'from_dump']) await ask(urlOf(port, 'postgres'), `create database ${name}`);
  const live = urlOf(port, 'live');
  await trunkline(live, 'migrate', '--env', 'sandbox');
  await trunkline(live, 'account', 'create', 'Acme', '--balance', '12.50', '--env', 'sandbox');

  const dump = path.join(folder, 'live.dump');
  await pgProgram('pg_dump', '--format=custom', `--file=${dump}`, `--dbname=${live}`);
  await pgProgram('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${urlOf(port, 'from_dump')}`, dump);
  expect(await accountsIn(urlOf(port, 'from_dump'))).toEqual([acme]);

  /** A standby of the server on that port; returns the address of its database. */
  const follow = async (data: string, source: number) => {
    await pgProgram('pg_basebackup', '-D', data, '-d', urlOf(source, 'postgres'), '-c', 'fast', '-R');
    const at = await freePort();
    await boot(data, at);
    return urlOf(at, 'live');
  };
  const namesIn = async (url: string) => (await ask(url, 'select name from accounts order by name')).rows;
  const standbyUrl = await follow(standby, port);
  // The base backup is the standby's: the primary is left alone. Its last page of the log is archived by a switch.
  await pgProgram('pg_basebackup', '-D', restored, '-d', standbyUrl, '-c', 'fast');
  await trunkline(live, 'account', 'create', 'Bolt', '--env', 'sandbox');
  await ask(live, `select pg_create_restore_point('before the mistake')`);
  await ask(live, 'update accounts set name = $$lost $$ || id::text');
  await ask(live, 'select pg_switch_wal()');
  // A standby is no backup: what is lost on the primary is lost there in the same moment.
  const lost = [1, 2].map(() => ({ name: expect.stringMatching(/^lost /) }));
  await expect.poll(() => namesIn(standbyUrl)).toEqual(lost);
  await stop(cluster);
  await stop(standby);
  await writeFile(
    path.join(restored, 'postgresql.auto.conf'),
    `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_name = 'before the mistake'\nrecovery_target_action = 'promote'\n`,
  );
  const signal = path.join(restored, 'recovery.signal');
  await writeFile(signal, '');
  await own(signal);
  const other = await freePort();
  await boot(restored, other);
  const recovered = urlOf(other, 'live');
  await expect
    .poll(async () => (await ask(recovered, 'select pg_is_in_recovery() as busy')).rows, { timeout: 120_000 })
    .toEqual([{ busy: false }]);
  expect(await accountsIn(recovered)).toEqual([acme, { name: 'Bolt', balance: expect.stringMatching(/^0/) }]);
  // The former standby is ahead of what was restored, so a new one is made.
  const followerUrl = await follow(follower, other);
  await trunkline(recovered, 'account', 'create', 'Cobalt', '--env', 'sandbox');
  await expect.poll(() => namesIn(followerUrl)).toEqual([{ name: 'Acme' }, { name: 'Bolt' }, { name: 'Cobalt' }]);
});
