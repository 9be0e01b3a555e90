/** Snapshots as files: saved here, loaded by a server with another key, with and without its secrets. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { bytesOf, makeSnapshotAccount } from '../../../test/support/snapshot-account.ts';
import { useOpened } from '../../../test/support/use.ts';
import { openTestWorlds } from '../../../test/support/worlds.ts';
import { ServerKey } from '../../base/server-key.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { hashKey } from '../../business/accounts/api-keys.ts';
import { verifyLedger } from '../../business/money/ledger-checks.ts';
import type { Environment } from '../../engines/environment.ts';
import { findApplicationByKey } from '../verification/application.ts';
import { codeMatches } from '../verification/codes.ts';

/** Two servers with keys of their own, on one database server; the first has two tenants. */
const servers = useOpened(async () => {
  const open = async (key: Buffer) => {
    const house = await createTestEnvironment();
    const env = { ...house.env, serverKey: new ServerKey(key) };
    const worlds = openTestWorlds(env);
    const close = async () => {
      await worlds.close();
      await house.close();
    };
    return { env, worlds: worlds.worlds, close };
  };
  const [here, there] = [await open(randomBytes(32)), await open(randomBytes(32))];
  const acme = await makeSnapshotAccount(here.env, 'Acme', '0017');
  const rival = await makeSnapshotAccount(here.env, 'Rival', '0018');
  const { id: loader } = await createAccount(there.env, { name: 'Loader' });
  await here.worlds.snapshots.save(acme.id, 'state', null);
  const close = async () => {
    await here.close();
    await there.close();
  };
  return { here, there, acme, rival, loader, close };
});

const file = async (passphrase: string | null) =>
  bytesOf(await servers.here.worlds.snapshots.file(servers.acme.id, 'state', passphrase));
const load = (name: string, content: Buffer, passphrase: string | null = null) =>
  servers.there.worlds.snapshots.load(servers.loader, name, Readable.from([content]), passphrase);
const inWorldFrom = async <T>(name: string, work: (env: Environment) => Promise<T>): Promise<T> => {
  const { worlds } = servers.there;
  const { id } = await worlds.make({ accountId: servers.loader, from: name, name: null });
  return worlds.open.use(id, work);
};
const rowsIn = async (env: Environment, text: string) => (await env.pool.query(text)).rows;

test('a copy of the sandbox holds the own account, with keys and codes that work, and nobody else', async () => {
  const { here, acme, rival } = servers;
  const { id } = await here.worlds.make({ accountId: acme.id, from: 'current', name: null });
  await here.worlds.open.use(id, async (env) => {
    expect(await rowsIn(env, 'select id, balance from accounts')).toEqual([{ id: acme.id, balance: '50.0000' }]);
    expect(await rowsIn(env, 'select number from dids')).toEqual([{ number: acme.number }]);
    const hashes = await env.db.selectFrom('api_keys').select('key_hash').execute();
    expect(hashes.map(({ key_hash }) => key_hash)).toContainEqual(hashKey(acme.apiKey));
    expect(hashes.map(({ key_hash }) => key_hash)).not.toContainEqual(hashKey(rival.apiKey));
    expect((await findApplicationByKey(env, acme.application.key))?.secret.reveal()).toBe(acme.application.secret);
    expect(await findApplicationByKey(env, rival.application.key)).toBeNull();
    expect((await verifyLedger(env.db)).filter(({ offences }) => offences.length > 0)).toEqual([]);
    // The renewal of its number is planned again; nothing that is sent outside is.
    const jobs = await rowsIn(env, 'select distinct task from jobs order by 1');
    expect(jobs).toEqual([{ task: 'dids.settle_due' }, { task: 'money.verify' }].slice(0, jobs.length));
    expect(env.mailer).toBeNull();
    // No trace of the other tenant in any table.
    const { rows } = await env.pool.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition",
    );
    for (const { name } of rows) {
      const found = await rowsIn(
        env,
        `select from ${name} t where t::text ~ 'Rival|rival@|${rival.id}|${rival.number}'`,
      );
      expect(found, name).toEqual([]);
    }
  });
});

test('a file holds no secret; where it is loaded they are made anew', async () => {
  const { acme, there } = servers;
  const content = await file(null);
  const text = gunzipSync(content).toString();
  expect(content.length).toBeLessThan(64 * 1024);
  for (const secret of [
    acme.sipPassword,
    acme.application.secret,
    'Acme-callbacks',
    hashKey(acme.apiKey).toString('hex'),
  ]) {
    expect(text).not.toContain(secret);
  }
  expect(text).not.toMatch(/Rival|"jobs"|"mails"|"key":/);
  expect(await load('theirs', content)).toBe(true);
  expect(await load('theirs', content)).toBe(false);
  await inWorldFrom('theirs', async (env) => {
    const application = await findApplicationByKey(env, acme.application.key);
    expect(application?.secret.reveal()).toMatch(/^[\w-]{43}$/);
    expect(application?.secret.reveal()).not.toBe(acme.application.secret);
    expect(
      await rowsIn(env, "select configuration ->> 'auth_password' ~ '^[A-Za-z0-9]{16}$' as anew from voice_in_trunks"),
    ).toEqual([{ anew: true }]);
    const [pending] = await env.db.selectFrom('verifications').selectAll().execute();
    expect(codeMatches(there.env.serverKey, pending?.id ?? '', '123456', pending?.code_hash ?? Buffer.alloc(0))).toBe(
      true,
    );
    expect(await rowsIn(env, 'select time_start from cdrs_in')).toEqual([
      { time_start: new Date('2024-02-03T04:05:06Z') },
    ]);
    // The keys of the world belong to the account of the file.
    expect((await rowsIn(env, 'select distinct account_id from api_keys')).length).toBe(1);
    // Sequences go on behind the rows.
    expect(
      await rowsIn(env, "select nextval(pg_get_serial_sequence('orders', 'seq')) > max(seq) as later from orders"),
    ).toEqual([{ later: true }]);
  });
});

test('a passphrase seals the whole file, and brings the secrets along', async () => {
  const { acme } = servers;
  const sealed = await file('correct horse battery');
  expect(sealed.toString('latin1')).not.toContain('countries');
  await expect(load('bad', sealed, 'another passphrase')).rejects.toThrow('The passphrase is not that of the file');
  const { worlds } = servers.there;
  expect((await worlds.snapshots.list(servers.loader)).map(({ name }) => name)).not.toContain('bad');
  expect((await worlds.databases.ids('s')).length).toBe((await worlds.snapshots.list(servers.loader)).length);
  expect(await load('sealed', sealed, 'correct horse battery')).toBe(true);
  await inWorldFrom('sealed', async (env) => {
    expect((await findApplicationByKey(env, acme.application.key))?.secret.reveal()).toBe(acme.application.secret);
    expect(await rowsIn(env, "select configuration ->> 'auth_password' as password from voice_in_trunks")).toEqual([
      { password: acme.sipPassword },
    ]);
    const keys = await env.db.selectFrom('api_keys').select('key_hash').execute();
    expect(keys.map(({ key_hash }) => key_hash)).toContainEqual(hashKey(acme.apiKey));
  });
});
