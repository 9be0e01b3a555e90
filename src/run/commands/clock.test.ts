/** The command that moves the sandbox's clock. */
import { expect, it } from 'vitest';
import { execute, openCommandPlace } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';

useOpened(() => openCommandPlace());

/** These commands have no --env: only the sandbox's clock can be moved. */
async function run(command: string, ...args: string[]): Promise<string> {
  return (await execute(command, ...args)).join('\n');
}

it('the operator moves the clock of the sandbox', async () => {
  const before = Date.parse(await run('clock show'));
  const after = Date.parse(await run('clock advance', '86400'));
  expect(after - before).toBeGreaterThanOrEqual(86_400_000);
  expect(Date.parse(await run('clock show'))).toBeGreaterThanOrEqual(after);
});

it.each([
  ['0', 'SECONDS must be a whole number from 1 to 316224000, not "0".'],
  ['tomorrow', 'SECONDS must be a whole number from 1 to 316224000, not "tomorrow".'],
])('%s is refused', async (text, message) => {
  await expect(run('clock advance', text)).rejects.toThrow(message);
});

it('nor can the operator move it further than a hundred years', async () => {
  for (let moved = 0; moved < 9; moved++) await run('clock advance', '316224000');
  await expect(run('clock advance', '316224000')).rejects.toThrow(/at most 100 years ahead/);
});
