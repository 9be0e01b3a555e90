import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { accountCreateCommand } from './account.ts';
import {
  callEventsLogCommand,
  callEventsRemoveCommand,
  callEventsReplayCommand,
  callEventsSetCommand,
} from './call-events.ts';
import type { Command } from './command.ts';
import { voiceRatesListCommand, voiceRatesSetCommand } from './voice-rates.ts';

let database: TestDatabase;
let data: string;
beforeAll(async () => {
  database = await createTestDatabase();
  data = await mkdtemp(path.join(os.tmpdir(), 'trunkline-voice-command-'));
  vi.stubEnv('SANDBOX_DATABASE_URL', database.url);
  vi.stubEnv('TRUNKLINE_DATA', data);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
  await rm(data, { recursive: true, force: true });
});

const run = async (command: Command, ...args: string[]): Promise<string> => {
  const lines: string[] = [];
  await command.execute([...args, '--env', 'sandbox'], (line) => lines.push(line));
  return lines.join('\n');
};

test('rates are set by prefix, for everyone or one account, and set again', async () => {
  await run(accountCreateCommand, 'Acme');
  await run(voiceRatesSetCommand, 'termination', '0.01', '--prefix', '44', '--country', 'United Kingdom');
  await run(voiceRatesSetCommand, 'termination', '0.0125', '--prefix', '44', '--intervals', '60/6');
  await run(voiceRatesSetCommand, 'termination', '0.005', '--prefix', '44', '--account', 'Acme');
  const list = (await run(voiceRatesListCommand)).split('\n').slice(1);
  expect(list.map((line) => line.split(/ {2,}/))).toEqual(
    expect.arrayContaining([
      ['termination', '44', '0.012500', '0.0000', '60/6', 'United Kingdom', 'everyone'],
      ['termination', '44', '0.005000', '0.0000', '1/1', 'Acme'],
    ]),
  );
  expect(list).toHaveLength(2);
});

test('a lookup of a name has one price, by the prefix of the caller', async () => {
  expect(await run(voiceRatesSetCommand, 'cnam_lookup', '0.0125', '--prefix', '1')).toBe(
    'cnam_lookup 1: 0.0125 a lookup.',
  );
  const line = (await run(voiceRatesListCommand)).split('\n').find((each) => each.startsWith('cnam_lookup'));
  expect(line?.split(/ {2,}/)).toEqual(['cnam_lookup', '1', '0.000000', '0.0125', '1/1', 'everyone']);
});

test.each([
  [['gold', '1'], 'A rate is one of'],
  [['termination', 'cheap'], 'is not an amount'],
  [['termination', '1', '--prefix', 'x'], 'is not a prefix'],
  [['termination', '1', '--fee', '0.00001'], 'is not an amount'],
  [['termination', '1', '--intervals', '0/1'], 'interval'],
  [['termination', '1', '--account', 'Nobody'], 'There is no account'],
])('a rate of %j is refused', async (args, text) => {
  await expect(run(voiceRatesSetCommand, ...args)).rejects.toThrow(text);
});

test('streams are set and removed, the log is empty, and nothing that is not there is sent again', async () => {
  await run(accountCreateCommand, 'Streams');
  const set = (...args: string[]) => run(callEventsSetCommand, 'Streams', ...args);
  const headers = ['--header', 'X-Token=a=b', '--header', 'X-Other=c'];
  expect(await set('voice_in_events', 'https://h.test/x?token=secret', ...headers)).toBe(
    'voice_in_events of Streams go to https://h.test.',
  );
  await expect(set('voice_in_events', 'https://h.test', '--header', 'X-Token')).rejects.toThrow('is not a header');
  await expect(set('voice', 'https://h.test')).rejects.toThrow('A stream is one of');
  await expect(set('voice_in_cdr', 'ftp://h.test')).rejects.toThrow('not an http or https URL');
  expect(await run(callEventsLogCommand, 'Streams')).toBe('There are no events.');
  await expect(run(callEventsReplayCommand, 'Streams', '7')).rejects.toThrow('has no event 7');
  expect(await run(callEventsRemoveCommand, 'Streams', 'voice_in_events')).toContain('not sent any more');
});
