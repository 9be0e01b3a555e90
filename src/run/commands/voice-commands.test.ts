/** Commands for rates of calls and of name look-ups. */
import { expect, test } from 'vitest';
import { openCommandPlace, run } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';

useOpened(() => openCommandPlace());

const said = async (command: string, ...args: string[]): Promise<string> => (await run(command, ...args)).join('\n');

test('rates are set by prefix, for everyone or one account, and set again', async () => {
  await said('account create', 'Acme');
  await said('voice-rates set', 'termination', '0.01', '--prefix', '44', '--country', 'United Kingdom');
  await said('voice-rates set', 'termination', '0.0125', '--prefix', '44', '--intervals', '60/6');
  await said('voice-rates set', 'termination', '0.005', '--prefix', '44', '--account', 'Acme');
  const list = (await said('voice-rates list')).split('\n').slice(1);
  expect(list.map((line) => line.split(/ {2,}/))).toEqual(
    expect.arrayContaining([
      ['termination', '44', '0.0125', '0.00', '60/6', 'United Kingdom', 'everyone'],
      ['termination', '44', '0.005', '0.00', '1/1', 'Acme'],
    ]),
  );
  expect(list).toHaveLength(2);
});

test('a lookup of a name has one price, by the prefix of the caller', async () => {
  expect(await said('voice-rates set', 'cnam_lookup', '0.0125', '--prefix', '1')).toBe(
    'cnam_lookup 1: 0.0125 a lookup.',
  );
  const line = (await said('voice-rates list')).split('\n').find((each) => each.startsWith('cnam_lookup'));
  expect(line?.split(/ {2,}/)).toEqual(['cnam_lookup', '1', '0.00', '0.0125', '1/1', 'everyone']);
});

test.each([
  [['gold', '1'], 'KIND must be "pstn_forwarding" or'],
  [['termination', 'cheap'], 'is not an amount'],
  [['termination', '1', '--prefix', 'x'], 'is not a prefix'],
  [['termination', '1', '--fee', '0.00001'], 'is not an amount'],
  [['termination', '1', '--intervals', '0/1'], 'interval'],
  [['termination', '1', '--account', 'Nobody'], 'There is no account'],
])('a rate of %j is refused', async (args, text) => {
  await expect(said('voice-rates set', ...args)).rejects.toThrow(text);
});

test.each([
  [
    ['--user', 'a:b', '--password', 'secret'],
    '--user must be a name without a colon or control characters, not "a:b".',
  ],
  [['--user', 'acme'], '--user and --password go together.'],
  [['--password', 'secret'], '--user and --password go together.'],
  [['--user', 'acme', '--password', 'two\nlines'], '--password must be text without control characters.'],
])('a login of %j is refused', async (args, text) => {
  await expect(said('call-events set', 'Acme', 'voice_in_events', 'https://h.test', ...args)).rejects.toThrow(text);
});

test('streams are set and removed, the log is empty, and nothing that is not there is sent again', async () => {
  await said('account create', 'Streams');
  const set = (...args: string[]) => said('call-events set', 'Streams', ...args);
  const headers = ['--header', 'X-Token=a=b', '--header', 'X-Other=c'];
  expect(await set('voice_in_events', 'https://h.test/x?token=secret', ...headers)).toBe(
    'voice_in_events of Streams go to https://h.test.',
  );
  await expect(set('voice_in_events', 'https://h.test', '--header', 'X-Token')).rejects.toThrow('is not a header');
  await expect(set('voice', 'https://h.test')).rejects.toThrow('STREAM must be "');
  await expect(set('voice_in_cdr', 'ftp://h.test')).rejects.toThrow('not an http or https URL');
  expect(await said('call-events log', 'Streams')).toBe('There are no events.');
  await expect(said('call-events replay', 'Streams', '7')).rejects.toThrow('has no event 7');
  expect(await said('call-events remove', 'Streams', 'voice_in_events')).toContain('not sent any more');
});

test('prefixes have classes, and classes limits a day for everyone or one account', async () => {
  await said('account create', 'Bounded');
  expect(await said('risk prefix', '8835', 'elevated', '--note', 'tests')).toBe('8835 is elevated.');
  await said('risk limit', 'high', '7.50', '--account', 'Bounded');
  await said('risk limit', 'elevated', 'none');
  const rows = (await said('risk list')).split('\n').map((line) => line.split(/ {2,}/));
  expect(rows).toEqual(
    expect.arrayContaining([
      ['high', '25.00', 'everyone'],
      ['high', '7.50', 'Bounded'],
      ['elevated', 'none', 'everyone'],
      ['8835', 'elevated', 'tests'],
    ]),
  );
  await said('risk limit', 'high', 'default', '--account', 'Bounded');
  expect(await said('risk list', '--limits')).not.toContain('Bounded');
  await said('risk prefix', '8835', 'none');
  await expect(said('risk prefix', '8835', 'none')).rejects.toThrow('There is no prefix 8835.');
  await expect(said('risk prefix', 'x', 'high')).rejects.toThrow('is not a prefix');
  await expect(said('risk limit', 'dire', '1')).rejects.toThrow('is not a class');
  await expect(said('risk limit', 'high', 'much')).rejects.toThrow('is not an amount');
  await expect(said('risk limit', 'high', 'default')).rejects.toThrow('not removed');
});
