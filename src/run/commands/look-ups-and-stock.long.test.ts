/**
 * Commands that look things up and run the stock: `lookup`, `stock`, `otp-conversion`, `otp-prefixes`, `account note`,
 * and tests of carriers.
 */
import pg from 'pg';
import { expect, test } from 'vitest';
import { openCommandPlace, run } from '../../../test/support/commands.ts';
import { idOf, loadSmallCatalogue } from '../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../test/support/use.ts';

const place = useOpened(() => openCommandPlace());

const json = async (...command: [string, ...string[]]) => JSON.parse((await run(...command, '--json')).join(''));
const newestAction = async () => (await json('audit list'))[0];

test('records are looked up by the filters of the interface, and a wrong one is named', async () => {
  await run('account create', 'Acme', '--balance', '10');
  expect(await run('account note', 'Acme', 'calls on Mondays')).toEqual(['Wrote a note about Acme.']);
  const [account] = await json('lookup', 'accounts', '--filter', 'search=acm');
  expect(account.attributes).toMatchObject({ name: 'Acme', balance: '10.0' });
  const notes = await json('lookup', 'account_notes', '--filter', `account.id=${account.id}`);
  expect(notes).toMatchObject([{ attributes: { text: 'calls on Mondays' } }]);
  expect((await run('lookup', 'accounts')).join('\n')).toContain('Acme');
  await expect(run('lookup', 'nothing')).rejects.toThrow('There is no type nothing; there are account_notes');
  await expect(run('lookup', 'accounts', '--filter', 'search')).rejects.toThrow('is not NAME=VALUE');
  await expect(run('lookup', 'numbers', '--filter', 'colour=red')).rejects.toThrow('colour');
});

test('numbers are held, released and withdrawn, and the stock report says so', async () => {
  const pool = new pg.Pool({ connectionString: place.url });
  await loadSmallCatalogue({ pool });
  await pool.end();
  const london = idOf('did_groups', 'London');
  const reported = async (): Promise<Record<string, string>> =>
    (await json('stock list', '--country', 'gb')).find(({ group }: { group: string }) => group === london);
  const group = ['--group', london];
  expect(await reported()).toMatchObject({ available: '3', quarantined: '0' });
  const until = ['--until', '2999-01-01T00:00Z'];
  expect(await run('stock quarantine', ...group, ...until, '--reason', 'spam', '--yes')).toEqual([
    'Quarantined 3 numbers.',
  ]);
  expect(await reported()).toMatchObject({ available: '0', quarantined: '3' });
  expect(await newestAction()).toMatchObject({ reason: 'spam' });
  expect((await json('stock list', '--empty')).map(({ group: id }: { group: string }) => id)).toContain(london);
  expect(await run('stock release', ...group, '--reason', 'clean', '--yes')).toEqual(['Released 3 numbers.']);
  const one = ['--number', '442037691880'];
  expect(await run('stock withdraw', ...one, '--reason', 'returned', '--yes')).toEqual(['Withdrew 1 number.']);
  expect(await reported()).toMatchObject({ available: '2', withdrawn: '1' });
  await expect(run('stock move', ...group, '--reason', 'x')).rejects.toThrow();
  expect(await run('stock waiting')).toEqual(['Nobody waits.']);
});

test('a prefix is blocked, listed with its reason and lifted; conversion is reported', async () => {
  expect(await run('otp-conversion report')).toEqual(['Nothing was started in that time.']);
  await run('otp-prefixes block', '882', '--reason', 'satellite phones');
  await run('otp-prefixes safe', '49', '--reason', 'home');
  const decided: Record<string, string>[] = await json('otp-prefixes list');
  const block = decided.find(({ prefix }) => prefix === '882');
  expect(block).toMatchObject({ mode: 'block', account: 'all', until: 'for ever', why: 'satellite phones' });
  expect(await run('otp-prefixes lift', String(block?.id), '--reason', 'agreed')).toEqual(['Lifted.']);
  expect((await json('otp-prefixes list')).map(({ prefix }: { prefix: string }) => prefix)).toEqual(['49']);
  expect(await json('otp-prefixes list', '--all')).toHaveLength(2);
});

test('a carrier is tested by a server that runs; without one the command says so', async () => {
  await run('carrier create', 'acme', '--host', '127.0.0.1', '--port', '9');
  expect((await run('carrier test', 'acme', '--wait', '0')).join('')).toContain('acme was not tested yet');
  expect((await run('carrier test', 'acme', '--call', '+4915112345678', '--wait', '0')).join('')).toContain(
    'not tested yet',
  );
  await expect(run('carrier test', 'acme', '--call', '112')).rejects.toThrow('8 to 15 digits');
  expect((await newestAction()).action).toBe('peer_test.requested');
  await expect(run('carrier test', 'nobody')).rejects.toThrow('nobody');
  await expect(run('otp-providers test', 'texts', '12')).rejects.toThrow('8 to 15 digits');
  await expect(run('otp-providers test', 'texts', '4915112345678')).rejects.toThrow('texts');
});
