/** The demo accounts of a first start. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { createAuthenticator } from '../../business/accounts/authenticate.ts';
import { ensureDemo } from './demo.ts';

let test: TestEnvironment;
let folder: string;
beforeEach(async () => {
  test = await createTestEnvironment();
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-demo-'));
});
afterEach(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

it('is made on a first start, works, and is kept where only the owner can read it', async () => {
  const demo = await ensureDemo(test.env, folder);

  const account = demo?.made?.accounts[0];
  expect(await createAuthenticator(test.env)(account?.api_keys[0]?.key ?? '', '127.0.0.1')).not.toBeNull();
  const { numbers } = await test.env.db
    .selectFrom('available_dids')
    .select((eb) => eb.fn.countAll<number>().as('numbers'))
    .executeTakeFirstOrThrow();
  expect(numbers).toBeGreaterThan(50_000);
  const file = path.join(folder, 'demo.sandbox.json');
  expect(demo?.file).toBe(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ sandbox: demo?.made });

  // Later starts know where it is, and do not bring back what was taken away.
  await test.env.db.deleteFrom('api_keys').execute();
  expect(await ensureDemo(test.env, folder)).toEqual({ file, made: null, recordsFile: demo?.recordsFile });
  expect(await test.env.db.selectFrom('api_keys').selectAll().execute()).toEqual([]);
});

it('is not made where an operator has made an account', async () => {
  await createAccount(test.env, { name: 'Acme' });
  expect(await ensureDemo(test.env, folder)).toBeNull();
  expect(await readdir(folder)).toEqual([]);
});

it('is taken up with the same secrets after a start that was killed half-way', async () => {
  const { pool } = test.env;
  await pool.query(`create function fail() returns trigger language plpgsql as $$ begin raise 'killed'; end $$`);
  await pool.query('create trigger fail before insert on api_keys for each row execute function fail()');
  await expect(ensureDemo(test.env, folder)).rejects.toThrow('killed');
  const begun = await readFile(path.join(folder, 'demo.sandbox.json.begun'), 'utf8');
  await pool.query('drop trigger fail on api_keys');

  const demo = await ensureDemo(test.env, folder);

  expect(JSON.parse(begun)).toEqual({ sandbox: demo?.made });
  expect(await readdir(folder)).toEqual(['demo.sandbox.json', 'demo.sandbox.records']);
});
