/** Templates that other processes have dropped, or have not finished. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { openTestWorlds } from '../../../test/support/worlds.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { isAbandoned, isUnfinished } from './templates.ts';

const house = useOpened(async () => {
  const { env, close } = await createTestEnvironment();
  const { worlds, close: closeWorlds } = openTestWorlds(env);
  return {
    worlds,
    accountId: (await createAccount(env, { name: 'Acme' })).id,
    close: async () => {
      await closeWorlds();
      await close();
    },
  };
});
const make = () => house.worlds.make({ accountId: house.accountId, from: 'empty', name: null });

test('a template that a process of another version has dropped is made again', async () => {
  const { worlds } = house;
  const { id } = await make();
  await worlds.end(id);
  for (const template of await worlds.databases.ids('t')) {
    await worlds.databases.drop(worlds.databases.name('t', template));
  }
  const again = await make();
  expect(await worlds.now(again.id)).toBeInstanceOf(Date);
  expect(await worlds.databases.ids('t')).toHaveLength(1);
});

test('a template that a killed process has not finished is dropped, and one that is being made is not', async () => {
  const { databases } = house.worlds;
  const idAt = (ms: number) => `new_${ms.toString(36)}_0a1b2c3d`;
  const [left, being] = [idAt(Date.now() - 301_000), idAt(Date.now())];
  for (const id of [left, being]) await databases.create(databases.name('t', id));
  await house.worlds.sweep();
  const ids = await databases.ids('t');
  expect(ids).toContain(being);
  expect(ids).not.toContain(left);
});

test('names say whether a template is finished, and since when it is being made', () => {
  expect(isUnfinished('empty_12345678')).toBe(false);
  expect(isAbandoned('empty_12345678', 0)).toBe(false);
  expect(isUnfinished('new_x')).toBe(true);
});
