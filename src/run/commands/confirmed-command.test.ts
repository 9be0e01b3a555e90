/** Acts that cannot be taken back: they say where and why, can be tried, and are done when somebody agrees. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { execute, openCommandPlace, run } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';
import { loadCommands } from './commands.ts';
import { askFor } from './confirmed-command.ts';

useOpened(() => openCommandPlace());

const accounts = async (): Promise<{ name: string; closedAt: string | null }[]> =>
  JSON.parse((await run('account list', '--json')).join(''));
const isClosed = async (name: string) => (await accounts()).find((each) => each.name === name)?.closedAt !== null;

test('closing, erasing, and acts on many records are such acts', async () => {
  const commands = await loadCommands();
  const confirmed = commands.filter(({ options }) => Object.hasOwn(options, 'yes')).map(({ name }) => name);
  expect(confirmed.toSorted()).toEqual([
    ...['account close', 'account erase', 'carrier remove', 'deliveries discard-all', 'deliveries replay-all'],
    ...['jobs discard', 'otp delete', 'signing-certificate remove'],
    ...['stock move', 'stock quarantine', 'stock release', 'stock withdraw', 'supplier remove'],
  ]);
});

test('nothing happens without an environment, a reason and somebody who agrees', async () => {
  await run('account create', 'Acme', '--balance', '12.5');
  const why = ['--reason', 'moved away'];
  await expect(execute('account close', 'Acme', ...why, '--yes')).rejects.toThrow('--env is missing');
  await expect(run('account close', 'Acme', '--yes')).rejects.toThrow('--reason is missing.');
  // The tests have no terminal to ask at.
  await expect(run('account close', 'Acme', ...why)).rejects.toThrow('Nothing was changed: add --yes');
  expect(await isClosed('Acme')).toBe(false);
});

test('a trial says what would happen and changes nothing, then it happens', async () => {
  await run('account create', 'Trial', '--balance', '12.5');
  await run('keys create', 'Trial');
  const why = ['--reason', 'moved away'];
  expect(await run('account close', 'Trial', ...why, '--dry-run')).toEqual([
    'In sandbox:',
    '  Trial can never be used again',
    '  API keys that are revoked: 1',
    '  numbers that end with their paid period: 0',
    '  calls that end now: 0',
    '  balance that is left: 12.50',
    'Nothing was changed.',
  ]);
  expect(await isClosed('Trial')).toBe(false);
  expect((await run('audit list', '--json')).join('')).not.toContain('account.closed');
  expect(await run('account close', 'Trial', ...why, '--yes')).toEqual(['Trial is closed.']);
  expect(await isClosed('Trial')).toBe(true);
  const trial = (await run('account erase', 'Trial', '--reason', 'asked', '--dry-run')).join('\n');
  expect(trial).toContain('  erased, ');
  expect(trial).toMatch(/ {2}kept, .*: \d+ \(.+\)/);
  expect((await run('account erase', 'Trial', '--reason', 'asked', '--yes')).join('')).toContain('the proof is');
});

test('what would be refused is refused in the trial', async () => {
  await run('account create', 'Open');
  await expect(run('account erase', 'Open', '--reason', 'asked', '--dry-run')).rejects.toThrow('Close the account');
});

async function asked(typed: string | null) {
  const [input, output] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()];
  if (typed === null) input.end();
  else input.write(`${typed}\n`);
  const outcome = await askFor('Acme', ['In production:', '  3 keys'], { input, output }).then(
    () => 'agreed',
    (error: Error) => error.message,
  );
  output.end();
  return [outcome, await text(output)];
}

test('a person at a terminal types what is concerned', async () => {
  expect(await asked('Acme')).toEqual(['agreed', 'In production:\n  3 keys\nType Acme to go on: ']);
  expect((await asked('acme'))[0]).toBe('Nothing was changed.');
  expect((await asked('y'))[0]).toBe('Nothing was changed.');
  expect((await asked(null))[0]).toBe('Nothing was changed.');
});
