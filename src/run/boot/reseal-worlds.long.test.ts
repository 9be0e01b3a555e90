/** The server key is replaced: worlds, snapshots and clones that are kept ready go on with the new one alone. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { openTestWorlds } from '../../../test/support/worlds.ts';
import { ServerKey } from '../../base/server-key.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { parseSeed } from '../../interfaces/bootstrap/parse-seed.ts';
import { applySeed } from '../../interfaces/bootstrap/seed.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { findApplicationByKey } from '../../interfaces/verification/application.ts';
import { codeMatches } from '../../interfaces/verification/codes.ts';
import type { Worlds } from '../../interfaces/worlds/worlds.ts';
import { readConfig } from '../config/read-config.ts';
import { resealWorlds } from './reseal-worlds.ts';

const house = useOpened(() => createTestEnvironment());
const bytes = (byte: number) => Buffer.alloc(32, byte);
const [before, both, after] = [
  new ServerKey(bytes(1)),
  new ServerKey(bytes(2), bytes(1)),
  new ServerKey(bytes(2)),
] as const;
const withKey = (serverKey: ServerKey): WholeEnvironment => ({ ...house.env, serverKey });
const withOneReady = { TRUNKLINE_WORLDS_READY: '1' };
const start = (serverKey: ServerKey): Worlds => openTestWorlds(withKey(serverKey), withOneReady).worlds;
const countReady = async (): Promise<number> =>
  (await house.env.pool.query("select from worlds where state = 'ready'")).rows.length;

const code = '123456';
const pendingCode = { accounts: [{ verifications: [{ destination: '4915112345678', code }] }] };

type Made = Awaited<ReturnType<Worlds['make']>>;

async function expectWorks(worlds: Worlds, { id, application }: Made): Promise<void> {
  const found = await worlds.open.use(id, (env) => findApplicationByKey(env, application.key));
  expect(found?.secret.reveal()).toBe(application.secret);
}

test('what was sealed with the old key is sealed with the new one, in every database', async () => {
  const { id: accountId } = await createAccount(withKey(before), { name: 'Acme' });
  const make = (worlds: Worlds, from: string) => worlds.make({ accountId, from, name: null });

  const old = start(before);
  const open = await make(old, 'empty');
  await old.open.use(open.id, async (env) => {
    const { id, name } = await env.db.selectFrom('accounts').select(['id', 'name']).executeTakeFirstOrThrow();
    await applySeed(env, await parseSeed(pendingCode, name), id);
  });
  await old.snapshots.save(accountId, 'kept', { id: open.id, whole: false });
  // Nobody has opened this one, so its keys are in its row alone.
  const closed = await make(old, 'current');
  await expect.poll(countReady).toBe(1);
  await old.stop();

  const midway = start(both);
  await expectWorks(midway, open);
  await resealWorlds(withKey(both), readConfig({ TRUNKLINE_SERVER_KEY: both.reveal() }));
  await expectWorks(midway, open);
  await midway.stop();

  const worlds = start(after);
  for (const world of [open, closed, await make(worlds, 'empty'), await make(worlds, 'kept')]) {
    await expectWorks(worlds, world);
    const row = await worlds.find(accountId, world.id);
    if (row === null) throw new Error('the world has ended');
    await worlds.reset(row);
    await expectWorks(worlds, world);
  }
  const { id } = await make(worlds, 'kept');
  const matches = await worlds.open.use(id, async (env) => {
    const pending = await env.db.selectFrom('verifications').selectAll().executeTakeFirstOrThrow();
    return pending.code_hash !== null && codeMatches(after, pending.id, code, pending.code_hash);
  });
  expect(matches).toBe(true);
  await worlds.stop();
});

test('a template that another key has sealed is made anew, with the clones of it that were ready', async () => {
  const { id: accountId } = await createAccount(withKey(before), { name: 'Beta' });
  const foreign = new ServerKey(bytes(3));
  const worlds = start(foreign);
  await expectWorks(worlds, await worlds.make({ accountId, from: 'empty', name: null }));
  await expect.poll(countReady).toBe(1);
  await worlds.stop();
  const restarted = openTestWorlds(withKey(after), withOneReady);
  await expectWorks(restarted.worlds, await restarted.worlds.make({ accountId, from: 'empty', name: null }));
  await expectWorks(restarted.worlds, await restarted.worlds.make({ accountId, from: 'empty', name: null }));
  await restarted.close();
});
