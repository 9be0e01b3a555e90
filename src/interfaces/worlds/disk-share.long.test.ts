/** An account that fills the disk of worlds leaves half of it to others. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { openTestWorlds } from '../../../test/support/worlds.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import type { Worlds } from './worlds.ts';

const house = useOpened(() => createTestEnvironment());
const mebibyte = 2 ** 20;

test('worlds, snapshots and copies of an account count as its own; another account still gets a world', async () => {
  const { env } = house;
  const [hog, other] = [(await createAccount(env, { name: 'Hog' })).id, (await createAccount(env, { name: 'B' })).id];
  const make = (worlds: Worlds, accountId: string, from: string) => worlds.make({ accountId, from, name: null });
  const roomy = openTestWorlds(env);
  const world = await make(roomy.worlds, hog, 'empty');
  await roomy.worlds.snapshots.save(hog, 'kept', { id: world.id, whole: false });
  await make(roomy.worlds, hog, 'current');
  await roomy.worlds.stop();

  // One of five databases is the template; the copy of the sandbox is beside its world.
  const bytes = await roomy.worlds.databases.size();
  const disk = String(Math.ceil((bytes * 1.3) / mebibyte));
  const narrow = openTestWorlds(env, { TRUNKLINE_WORLDS_DISK: disk });
  const refusal = `The worlds and snapshots of this account take the ${Math.round(Number(disk) / 2)} MiB that they may`;
  await expect(make(narrow.worlds, hog, 'empty')).rejects.toThrow(refusal);
  await expect(make(narrow.worlds, hog, 'current')).rejects.toThrow(refusal);
  await expect(narrow.worlds.snapshots.save(hog, 'more', { id: world.id, whole: false })).rejects.toThrow(refusal);
  const theirs = await make(narrow.worlds, other, 'empty');
  expect(await narrow.worlds.now(theirs.id)).toBeInstanceOf(Date);
  // What has ended counts no more, even before it is dropped.
  for (const { id } of await narrow.worlds.registry.listOf(hog)) await narrow.worlds.end(id);
  await make(narrow.worlds, hog, 'empty');
  await narrow.close();
});
