/** Snapshots as files: saved here, loaded by a server with another key, and one of an older schema. */
import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { createTestEnvironment, environmentOf } from '../../test/support/environment.ts';
import { useOpened } from '../../test/support/use.ts';
import { openTestWorlds } from '../../test/support/worlds.ts';
import { createAccount } from '../accounts/accounts.ts';
import { parseSeed } from '../bootstrap/parse.ts';
import { applySeed } from '../bootstrap/seed.ts';
import { migrate } from '../db/migrate.ts';
import { readMigrations } from '../db/migration-files.ts';
import { createPool } from '../db/pool.ts';
import { ServerKey } from '../server-key.ts';
import { findApplicationByKey } from '../verification/application.ts';
import { createApplication } from '../verification/application.writes.ts';
import { codeMatches } from '../verification/codes.ts';
import { saveSnapshotFile } from './save-snapshot.ts';

/** Two servers with keys of their own, on one database server. */
const servers = useOpened(async () => {
  const open = async (key: Buffer) => {
    const house = await createTestEnvironment();
    const env = { ...house.env, serverKey: new ServerKey(key) };
    const { id: accountId } = await createAccount(env, { name: 'Acme' });
    const worlds = openTestWorlds(env);
    const close = async () => {
      await worlds.close();
      await house.close();
    };
    return { env, accountId, worlds: worlds.worlds, close };
  };
  const [here, there] = [await open(randomBytes(32)), await open(randomBytes(32))];
  const close = async () => {
    await here.close();
    await there.close();
  };
  return { here, there, close };
});

test('a world goes to another server with its numbers, its secrets and a code that is pending', async () => {
  const { here, there } = servers;
  const made = await here.worlds.make({ accountId: here.accountId, from: 'empty', name: null });
  const application = await here.worlds.open.use(made.id, async (env) => {
    const account = await env.db.selectFrom('accounts').select(['id', 'name']).executeTakeFirstOrThrow();
    const created = await createApplication(env, account.id, { name: 'app' });
    const records = {
      numbers: [{ country: 'GB', prefix: '20', number: '442079460017' }],
      calls: [{ number: '442079460017', src_number: '1', at: '2024-02-03T04:05:06Z' }],
      verifications: [{ application: 'app', destination: '4915112345678', code: '123456' }],
    };
    await applySeed(env, parseSeed({ accounts: [records] }, account.name), account.id);
    await env.pool.query('update environment_state set clock_offset_ms = 86400000');
    return { key: created.key, secret: created.secret.reveal() };
  });
  expect(await here.worlds.snapshots.save(here.accountId, 'state', made.id)).toBe(true);
  const file = await here.worlds.snapshots.file(here.accountId, 'state');
  if (file === null) throw new Error('there is no file');
  expect(file.length).toBeLessThan(64 * 1024);
  expect(await here.worlds.snapshots.file(here.accountId, 'other')).toBeNull();

  expect(await there.worlds.snapshots.load(there.accountId, 'theirs', file)).toBe(true);
  expect(await there.worlds.snapshots.load(there.accountId, 'theirs', file)).toBe(false);
  const copy = await there.worlds.make({ accountId: there.accountId, from: 'theirs', name: null });
  await there.worlds.open.use(copy.id, async (env) => {
    expect(env.clock.now().getTime() - Date.now()).toBeGreaterThan(86_000_000);
    expect((await findApplicationByKey(env, application.key))?.secret.reveal()).toBe(application.secret);
    const { id, code_hash } = await env.db
      .selectFrom('verifications')
      .select(['id', 'code_hash'])
      .executeTakeFirstOrThrow();
    expect(codeMatches(env.serverKey, id, '123456', code_hash ?? Buffer.alloc(0))).toBe(true);
    const calls = await env.db.selectFrom('cdrs_in').select('time_start').execute();
    expect(calls).toEqual([{ time_start: new Date('2024-02-03T04:05:06Z') }]);
    // Sequences go on behind the rows.
    await env.pool.query("select queue_job('dids.settle_due', '{}'::json, now(), null)");
  });
  // The clone that was resealed for the file is gone, and the snapshot is as it was.
  const again = await here.worlds.make({ accountId: here.accountId, from: 'state', name: null });
  await here.worlds.open.use(again.id, async (env) => {
    expect((await findApplicationByKey(env, application.key))?.secret.reveal()).toBe(application.secret);
  });
  expect((await here.worlds.databases.ids('w')).sort()).toEqual([made.id, again.id].sort());
});

test('a file of an older schema is migrated', async () => {
  const { there } = servers;
  const older = (await readMigrations()).filter(({ version }) => version < 500);
  const database = await createTestDatabase({ empty: true });
  const pool = createPool(database.url, { max: 2 });
  await migrate(pool, older);
  const { changes, clock } = there.env;
  await createAccount(environmentOf('sandbox', pool, changes, clock), { name: 'Of old times' });
  const file = await saveSnapshotFile(database.url, randomBytes(32));
  await pool.end();
  await database.drop();
  expect(await there.worlds.snapshots.load(there.accountId, 'old', file)).toBe(true);
  const world = await there.worlds.make({ accountId: there.accountId, from: 'old', name: null });
  await there.worlds.open.use(world.id, async (env) => {
    const names = await env.db.selectFrom('accounts').select('name').orderBy('name').execute();
    expect(names.map(({ name }) => name)).toContain('Of old times');
    const { rows } = await env.pool.query('select count(*)::int as n from schema_migrations');
    expect(rows[0]?.n).toBe((await readMigrations()).length);
  });

  const [header = '', ...rows] = gunzipSync(file).toString().split('\n');
  const changed = (change: object) =>
    gzipSync([JSON.stringify({ ...JSON.parse(header), ...change }), ...rows].join('\n'));
  const load = (content: Buffer) => there.worlds.snapshots.load(there.accountId, 'bad', content);
  const future = [{ version: 9999, name: '9999_later.sql', checksum: 'x' }];
  const injected = [{ parent: 'accounts; drop table x', name: 'x', from: '', to: '' }];
  await expect(load(changed({ migrations: future }))).rejects.toThrow('saved by a newer Trunkline');
  await expect(load(changed({ trunkline_snapshot: 2 }))).rejects.toThrow('saved by a newer Trunkline');
  await expect(load(changed({ partitions: injected }))).rejects.toThrow('The file is damaged.');
  await expect(load(Buffer.from('nothing'))).rejects.toThrow('The file is not a snapshot');
  await expect(load(file.subarray(0, 200))).rejects.toThrow('cut off');
  expect((await there.worlds.snapshots.list(there.accountId)).map(({ name }) => name)).not.toContain('bad');
});
