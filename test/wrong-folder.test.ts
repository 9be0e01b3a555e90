/** Commands in a folder without a database, on real processes: they say where they looked and make nothing. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createBench } from './support/boot.ts';

const { folder, start, ownDatabases } = createBench();

it.each([
  [['account', 'list'], 'DATABASE_URL is not set'],
  [['account', 'list', '--env', 'sandbox'], 'SANDBOX_DATABASE_URL is not set'],
  [['migrate'], 'DATABASE_URL and SANDBOX_DATABASE_URL are not set'],
])('%j makes no database', async (words, variables) => {
  const command = await start('empty', {}, words);
  expect(await command.ended()).toBe(1);
  const data = path.join(folder(), 'empty/data');
  expect(command.stderr()).toBe(
    `There is no database in the data folder ${data}, and ${variables}; name the right folder with --data or TRUNKLINE_DATA, or make a new database there with trunkline init.\n`,
  );
  expect(await readdir(path.join(folder(), 'empty'))).toEqual([]);
});

it('init makes one, and commands work on it from then on', async () => {
  const init = await start('made', {}, ['init']);
  expect(await init.ended()).toBe(0);
  expect(init.stdout()).toMatch(/^production: applied 1000_baseline.*\nsandbox: applied 1000_baseline/);
  const again = await start('made', {}, ['init']);
  expect(await again.ended()).toBe(0);
  expect(again.stdout()).toBe('production: nothing to do\nsandbox: nothing to do\n');
  const list = await start('made', {}, ['account', 'list']);
  expect(await list.ended()).toBe(0);
  expect(list.stdout()).toBe('There are no accounts.\n');
});

it('a command that cannot find the server key of the database makes no other', async () => {
  const urls = await ownDatabases();
  const first = await start('home', urls, ['migrate']);
  expect(await first.ended()).toBe(0);
  expect((await stat(path.join(folder(), 'home/data/server.key'))).isFile()).toBe(true);
  const lost = await start('elsewhere', urls, ['account', 'list']);
  expect(await lost.ended()).toBe(1);
  expect(lost.stderr()).toMatch(
    /^The production database was made with a server key, which is neither in TRUNKLINE_SERVER_KEY nor in \S+elsewhere\/data\/server\.key; .*\n$/,
  );
  expect(await readdir(path.join(folder(), 'elsewhere'))).toEqual([]);
});
