/** OTP applications: names, keys, settings. */
import { beforeAll, expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { createApplication, deleteApplication, editApplication, type NewApplication } from './application.writes.ts';

const world = useOpened(() => createTestEnvironment());
let accountId: string;
beforeAll(async () => {
  accountId = (await createAccount(world.env, { name: 'Acme' })).id;
});

const create = (input: NewApplication) => createApplication(world.env, accountId, input);

test('a name is taken until its application is deleted', async () => {
  const first = await create({ name: 'shop' });
  const taken = 'The account already has an application named "shop".';
  await expect(create({ name: 'shop' })).rejects.toThrow(taken);
  const other = await create({ name: 'app' });
  await expect(editApplication(world.env, other.id, { name: 'shop' })).rejects.toThrow(taken);
  await deleteApplication(world.env, first.id);
  expect((await editApplication(world.env, other.id, { name: 'shop' })).name).toBe('shop');
});

test('a key is taken for ever, also after its application is deleted', async () => {
  const { id, key } = await create({ name: 'with key' });
  await deleteApplication(world.env, id);
  await expect(create({ name: 'another', key })).rejects.toThrow('There is already an application with this key.');
});

test.each([
  [{ key: 'not-a-uuid' }, 'The key must be a UUID.'],
  [{ secret: 'c2hvcnQ' }, 'The secret must be 32 bytes in unpadded base64url.'],
])('%j is refused', async (given, message) => {
  await expect(create({ name: 'refused', ...given })).rejects.toThrow(message);
});
