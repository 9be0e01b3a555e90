/** What mistyped words of the command line are taken for. */
import { expect, test } from 'vitest';
import { index, loadCommand } from './commands.ts';
import { didYouMean } from './suggest.ts';

const known = ['account', 'audit', 'call', 'call-events', 'carrier', 'catalogue', 'jobs', 'listen'];

test.each([
  ['acount', "; did you mean 'account'?"],
  ['accuont', "; did you mean 'account'?"],
  ['AUDIT', "; did you mean 'audit'?"],
  ['job', "; did you mean 'jobs'?"],
  ['cal', "; did you mean 'call' or 'call-events'?"],
  ['cll', "; did you mean 'call'?"],
  ['frobnicate', ''],
  ['', ''],
])('%j', (given, said) => {
  expect(didYouMean(given, known)).toBe(said);
});

test('an option that is nearly one of the command names it', async () => {
  const create = index.find(({ name }) => name === 'keys create');
  if (create === undefined) throw new Error('no such command');
  const command = await loadCommand(create);
  const run = (...args: string[]) => command.execute(args, () => undefined);
  await expect(run('Acme', '--nmae', 'ci')).rejects.toThrow("Unknown option '--nmae'; did you mean '--name'?");
  await expect(run('Acme', '--zzz')).rejects.toThrow("Unknown option '--zzz'; see trunkline keys create --help.");
});
