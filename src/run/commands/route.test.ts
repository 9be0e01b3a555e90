/** Commands for routes and for the rates of carriers. */
import { expect, test } from 'vitest';
import { openCommandPlace, run, runConfirmed } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';

useOpened(() => openCommandPlace());

const said = async (command: string, ...args: string[]): Promise<string> => (await run(command, ...args)).join('\n');
const listed = async (command: string) => (await said(command)).split('\n').map((line) => line.split(/ {2,}/));

test('routes are added, changed, listed and removed, and go with their carrier', async () => {
  await said('carrier create', 'North', '--host', 'north.example.net');
  await said('carrier create', 'South', '--host', 'south.example.net');
  expect(await said('route add', 'North', '--prefix', '44')).toBe('Calls to 44 go out through North.');
  await said('route add', 'North', '--prefix', '44', '--priority', '5', '--weight', '0');
  await said('route add', 'South', '--prefix', '44');
  await said('route add', 'South');
  expect(await listed('route list')).toEqual([
    ['PREFIX', 'PRIORITY', 'WEIGHT', 'CARRIER'],
    ['all', '10', '10', 'South'],
    ['44', '5', '0', 'North'],
    ['44', '10', '10', 'South'],
  ]);
  await said('route remove', 'South', '--prefix', '44');
  await expect(said('route remove', 'South', '--prefix', '44')).rejects.toThrow('There is no such route.');
  await runConfirmed('carrier remove', 'North');
  expect((await listed('route list')).slice(1)).toEqual([['all', '10', '10', 'South']]);
});

test('rates of carriers are set, changed, listed and taken away', async () => {
  await said('carrier create', 'East');
  await said('carrier-rates set', 'East', '0.01', '--prefix', '49');
  await said('carrier-rates set', 'East', '0.004', '--prefix', '49', '--intervals', '60/6', '--fee', '0.001');
  expect(await listed('carrier-rates list')).toEqual([
    ['CARRIER', 'PREFIX', 'A MINUTE', 'CONNECTION', 'INTERVALS'],
    ['East', '49', '0.004', '0.001', '60/6'],
  ]);
  await said('carrier-rates set', 'East', 'none', '--prefix', '49');
  expect(await said('carrier-rates list')).toBe('There are no rates of carriers.');
  await expect(said('carrier-rates set', 'East', 'none')).rejects.toThrow('There is no such rate.');
});

test.each([
  ['route add', ['Nobody'], 'There is no carrier named "Nobody".'],
  ['route add', ['Nobody', '--prefix', '+1'], '"+1" is not a prefix of digits.'],
  ['route add', ['Nobody', '--weight', '65536'], '--weight must be a whole number from 0 to 65535'],
  ['carrier-rates set', ['Nobody', '1'], 'There is no carrier named "Nobody".'],
  ['carrier-rates set', ['Nobody', 'cheap'], 'is not an amount'],
])('%s %j is refused', async (command, args, text) => {
  await expect(said(command, ...args)).rejects.toThrow(text);
});
