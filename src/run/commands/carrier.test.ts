/** Commands for carriers. */
import { expect, test } from 'vitest';
import { openCommandPlace, run } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';

useOpened(() => openCommandPlace());

const said = async (command: string, ...args: string[]): Promise<string> => (await run(command, ...args)).join('\n');
const confirmed = ['--reason', 'contract ended', '--yes'];
const listed = async () => (await said('carrier list')).split('\n').map((line) => line.split(/ {2,}/));

test('carriers are created, changed, listed without passwords, and removed', async () => {
  expect(await said('carrier list')).toBe('There are no carriers.');
  const inbound = ['--address', '192.0.2.17/24', '--address', '2001:db8::7', '--prefix', '44', '--prefix', '49'];
  expect(await said('carrier create', 'North', ...inbound)).toBe('Created the carrier North.');
  const target = [
    '--host',
    '2001:db8::9',
    '--port',
    '5061',
    '--transport',
    'tls',
    '--emergency',
    'US',
    '--emergency',
    'CA',
  ];
  await said('carrier create', 'South', ...target, '--user', 'us', '--password', 'secret', '--priority', '20');
  expect(await listed()).toEqual([
    ['NAME', 'ENABLED', 'PRIORITY', 'FROM', 'MAY CALL', 'SENT TO', 'SIP', 'EMERGENCY', 'USER'],
    ['North', 'on', '10', '192.0.2.0/24, 2001:db8::7/128', '44, 49', '-', '-', '-', '-'],
    ['South', 'on', '20', '-', 'all', 'tls [2001:db8::9]:5061', '-', 'US, CA', 'us'],
  ]);
  await said('carrier update', 'North', '--prefix', 'all', '--address', '192.0.2.1', '--enabled', 'off');
  await said('carrier update', 'South', '--name', 'East', '--host', 'none', '--user', 'none', '--priority', '5');
  await said('carrier update', 'East', '--emergency', 'all');
  expect((await listed()).slice(1)).toEqual([
    ['East', 'on', '5', '-', 'all', '-', '-', 'all', '-'],
    ['North', 'off', '10', '192.0.2.1/32', 'all', '-', '-', '-', '-'],
  ]);
  const switches = async () =>
    JSON.parse(await said('carrier list', '--json')).map((carrier: Record<string, unknown>) => carrier.sip);
  expect(await switches()).toEqual(['-', '-']);
  await said('carrier update', 'East', '--user-phone', 'on', '--reliable', 'required');
  await said('carrier update', 'North', '--reliable', 'off');
  expect(await switches()).toEqual(['user=phone, 100rel required', '100rel off']);
  await said('carrier remove', 'East', ...confirmed);
  await said('carrier remove', 'North', ...confirmed);
  expect(await said('carrier list')).toBe('There are no carriers.');
  await expect(said('carrier remove', 'North', ...confirmed)).rejects.toThrow('There is no carrier named "North".');
  await expect(said('carrier update', 'North', '--priority', '1')).rejects.toThrow('There is no carrier named');
});

test.each([
  [['--address', '192.0.2.300'], 'is not an IP address or network'],
  [['--prefix', '+44'], '"+44" is not a prefix of digits.'],
  [['--priority', '-1'], '--priority'],
  [['--enabled', 'yes'], '--enabled must be "on" or "off"'],
  [['--host', 'a b'], '"a b" is not a host name or an address.'],
  [['--port', '5060'], 'A carrier with a port needs a host.'],
  [['--port', '0'], '--port must be a whole number from 1 to 65535'],
  [['--transport', 'sctp'], '--transport must be "udp" or "tcp" or "tls"'],
  [['--emergency', 'Utopia'], '"Utopia" is not a country code such as US, or "all".'],
  [['--reliable', 'always'], '--reliable must be "off" or "supported" or "required"'],
  [['--user-phone', 'yes'], '--user-phone must be "on" or "off"'],
  [['--user', 'us'], '--user and --password go together.'],
  [['--user', 'a\r\nb', '--password', 'x'], 'A user name has 1 to 255 characters, without control characters.'],
])('a carrier with %j is refused', async (args, text) => {
  await expect(said('carrier create', 'Wrong', ...args)).rejects.toThrow(text);
});

test('two carriers cannot have one name, and a change changes something', async () => {
  await said('carrier create', 'Twice');
  await expect(said('carrier create', 'Twice')).rejects.toThrow('There is a carrier named "Twice" already.');
  await expect(said('carrier update', 'Twice')).rejects.toThrow('Nothing is given that could be changed.');
});
