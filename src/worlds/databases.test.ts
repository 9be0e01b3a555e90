import { expect, test } from 'vitest';
import { CannotClone, WorldDatabases } from './databases.ts';

test('a database server that does not answer is a reason that a client is told', async () => {
  const databases = new WorldDatabases('postgres://nobody@127.0.0.1:1/none');
  await expect(databases.create('none_w_1')).rejects.toThrow(CannotClone);
  await expect(databases.create('none_w_1')).rejects.toThrow('it does not answer');
});
