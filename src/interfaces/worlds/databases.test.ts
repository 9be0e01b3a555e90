/** When a database cannot be cloned, and why. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { asCannotClone, CannotClone, WorldDatabases } from './databases.ts';

test('a database server that does not answer is a reason that a client is told', async () => {
  const databases = new WorldDatabases('postgres://nobody@127.0.0.1:1/none');
  await expect(databases.create('none_w_1')).rejects.toThrow(CannotClone);
  await expect(databases.create('none_w_1')).rejects.toThrow('it does not answer');
});

test.each([
  ['53100', 'The database server cannot make a world: its disk is full.'],
  ['53300', 'The database server cannot make a world: it has no connection left.'],
  ['42501', expect.stringContaining('grant it CREATEDB')],
  ['55006', expect.stringContaining('what it is made from is in use')],
  ['57014', expect.stringContaining('it took too long')],
])('the refusal %s of a database server has a text for clients', (code, message) => {
  const error = Object.assign(new pg.DatabaseError('could not', 9, 'error'), { code });
  expect(asCannotClone(error)).toMatchObject({ message });
  expect(asCannotClone(error)).toBeInstanceOf(CannotClone);
});

test('any other error stays as it is', () => {
  const error = Object.assign(new pg.DatabaseError('a bug', 5, 'error'), { code: '42601' });
  expect(asCannotClone(error)).toBe(error);
});
