import { expect, it } from 'vitest';
import { openCommandPlace } from '../../test/support/commands.ts';
import { useOpened } from '../../test/support/use.ts';
import { clockAdvanceCommand, clockShowCommand } from './clock.ts';
import type { Command } from './command.ts';

useOpened(() => openCommandPlace());

/** These commands have no --env: only the sandbox's clock can be moved. */
async function run(command: Command, ...args: string[]): Promise<string> {
  const lines: string[] = [];
  await command.execute(args, (line) => lines.push(line));
  return lines.join('\n');
}

it('the operator moves the clock of the sandbox', async () => {
  const before = Date.parse(await run(clockShowCommand));
  const after = Date.parse(await run(clockAdvanceCommand, '86400'));
  expect(after - before).toBeGreaterThanOrEqual(86_400_000);
  expect(Date.parse(await run(clockShowCommand))).toBeGreaterThanOrEqual(after);
});

it.each([
  ['0', 'SECONDS must be a whole number from 1 to 316224000, not "0".'],
  ['tomorrow', 'SECONDS must be a whole number from 1 to 316224000, not "tomorrow".'],
])('%s is refused', async (text, message) => {
  await expect(run(clockAdvanceCommand, text)).rejects.toThrow(message);
});

it('nor can the operator move it further than a hundred years', async () => {
  for (let moved = 0; moved < 9; moved++) await run(clockAdvanceCommand, '316224000');
  await expect(run(clockAdvanceCommand, '316224000')).rejects.toThrow(/at most 100 years ahead/);
});
