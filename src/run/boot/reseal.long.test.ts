/** A server key is replaced while processes run; every sealed column is covered. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { ServerKey } from '../../base/server-key.ts';
import { callbackSecretOf, createAccount } from '../../business/accounts/accounts.ts';
import { seal, unseal } from '../../business/accounts/secret.ts';
import type { Environment } from '../../engines/environment.ts';
import { keptAnswerPurpose } from '../../interfaces/platform/repeated-creates.ts';
import { readConfig } from '../config/read-config.ts';
import { openServerKey } from './data-folder.ts';
import { noteOnlyKey, resealEverything } from './reseal.ts';
import { sealedColumns } from './sealed-columns.ts';

const house = useOpened(() => createTestEnvironment());
const bytes = (byte: number) => Buffer.alloc(32, byte);
const [before, both, after] = [
  new ServerKey(bytes(7)),
  new ServerKey(bytes(8), bytes(7)),
  new ServerKey(bytes(8)),
] as const;
const withKey = (serverKey: ServerKey): Environment => ({ ...house.env, serverKey });
const start = (key: ServerKey) =>
  openServerKey('sandbox', house.env.pool, readConfig({ TRUNKLINE_SERVER_KEY: key.reveal() }));
const keepAnswer = (accountId: string, key: string) =>
  house.env.pool.query(
    `insert into idempotency_keys (account_id, key, fingerprint, sealed_answer, created_at, type)
     values ($1, $2, '', $3, $4, 'orders')`,
    [accountId, key, seal(before, keptAnswerPurpose, `answer ${key}`), house.clock.now()],
  );
const refused = /made with another server key/;

test('the list has every sealed column of the schema', async () => {
  const { rows } = await house.env.pool.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like 'sealed\\_%'`,
  );
  const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('a key is replaced while processes with either go on; the old one is needed until everything is sealed anew', async () => {
  await start(before);
  const accounts: string[] = [];
  for (let n = 0; n < 3; n++) {
    accounts.push((await createAccount(withKey(before), { name: `A${n}`, callbackSecret: `secret ${n}` })).id);
  }
  const secrets = (key: ServerKey) => Promise.all(accounts.map((id) => callbackSecretOf(withKey(key), id)));
  const expected = ['secret 0', 'secret 1', 'secret 2', 'secret 3'];

  await expect(start(after)).rejects.toThrow(refused);
  await start(both);
  accounts.push((await createAccount(withKey(both), { name: 'A3', callbackSecret: 'secret 3' })).id);
  // Rows without an id of their own: told apart by account and key.
  for (const name of ['first', 'second']) await keepAnswer(accounts[0] ?? '', name);
  // Some secrets need the one key, some the other.
  await expect(start(before)).rejects.toThrow(refused);
  await expect(start(after)).rejects.toThrow(refused);
  expect(await secrets(both)).toEqual(expected);

  const done = await resealEverything(withKey(both), () => undefined);
  expect(done.filter(({ changed }) => changed > 0)).toEqual([
    { table: 'accounts', column: 'sealed_callback_secret', changed: 3 },
    { table: 'idempotency_keys', column: 'sealed_answer', changed: 2 },
  ]);
  expect(await secrets(after)).toEqual(expected);
  const { rows } = await house.env.pool.query('select key, sealed_answer from idempotency_keys order by key');
  const answers = rows.map(({ key, sealed_answer }) => [key, unseal(after, keptAnswerPurpose, sealed_answer)]);
  expect(answers).toEqual([
    ['first', 'answer first'],
    ['second', 'answer second'],
  ]);
  await noteOnlyKey(withKey(both));
  await start(after);
  await expect(start(before)).rejects.toThrow(refused);
  expect((await resealEverything(withKey(after), () => undefined)).every(({ changed }) => changed === 0)).toBe(true);
});
