/** Commands for OTP applications and for their delivery. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCommandPlace, run, runConfirmed } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';

const place = useOpened(() => openCommandPlace());
beforeAll(async () => {
  await run('account create', 'Acme');
});

describe('the commands for OTP applications', () => {
  it('create, list, edit, renew and delete one', async () => {
    expect(await run('otp list')).toEqual(['There are no OTP applications.']);
    const made = JSON.parse((await run('otp create', 'Acme', 'web', '--code-length', '4', '--json')).join(''));
    expect(made).toEqual({
      name: 'web',
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      secret: expect.stringMatching(/^[\w-]{43}$/),
    });
    await run('otp edit', made.key, '--minimum-mode', 'basic', '--callback-url', 'https://h.example?x=1');
    const [, line] = await run('otp list', '--account', 'Acme');
    expect(line).toMatch(/^web +\S{36} +basic +4 digits, 300 s +https:\/\/h\.example\?x=1 /);
    expect(line).not.toContain(made.secret);
    const [, , secret] = await run('otp regenerate-secret', made.key);
    expect(secret).toMatch(/^secret {2}[\w-]{43}$/);
    expect(secret).not.toContain(made.secret);
    expect(await runConfirmed('otp delete', made.key)).toEqual(['Deleted web.']);
    expect(await run('otp list')).toEqual(['There are no OTP applications.']);
    await expect(runConfirmed('otp delete', made.key)).rejects.toThrow('There is no OTP application with the key');
  });

  it.each([
    [['--code-length', '9'], '--code-length must be a whole number from 4 to 8, not "9".'],
    [['--code-timeout', '59'], '--code-timeout must be a whole number from 60 to 600, not "59".'],
    [['--callback-url', 'ftp://x'], 'The callback URL must be an http or https address.'],
    [['--minimum-mode', 'none'], '--minimum-mode must be "public" or "basic" or "application", not "none".'],
    [['--senders', 'Germany=Acme'], 'Senders are set per ISO country or as "default", not for "Germany".'],
    [['--senders', 'DE=much too long a name'], 'is no sender id'],
  ])('refuse %j', async (options, text) => {
    await expect(run('otp create', 'Acme', 'x', ...options)).rejects.toThrow(text);
  });

  it('keep names apart', async () => {
    await run('otp create', 'Acme', 'twice');
    await expect(run('otp create', 'Acme', 'twice')).rejects.toThrow(
      'The account already has an application named "twice".',
    );
  });
});

describe('the commands for delivery', () => {
  it('set up a provider, a route and a rate', async () => {
    const file = path.join(place.folder, 'smsc.json');
    await writeFile(file, JSON.stringify({ host: 'smsc.example', port: 2775, system_id: 'acme' }));
    await run('otp-providers set', 'main', 'smpp', file, '--secret', 'hush');
    expect((await run('otp-providers list'))[1]).toMatch(/^main +smpp +on +ok +smsc\.example:2775$/);
    await run('otp-routes set', 'sms', 'main', '--prefix', '49');
    expect((await run('otp-routes list'))[1]).toMatch(/^sms +49 +main +10$/);
    await run('otp-rates set', 'sms', '0.0375', '--prefix', '49');
    expect((await run('otp-rates list')).some((line) => /^verification +sms +49 +0\.0375$/.test(line))).toBe(true);
    await run('otp-rates set', 'sms', '0.0125', '--prefix', '49', '--per', 'message');
    expect((await run('otp-rates list')).filter((line) => / sms +49 /.test(line))).toHaveLength(2);
    await run('otp-rates set', 'sms', 'none', '--prefix', '49', '--per', 'message');
    expect((await run('otp-rates list')).filter((line) => line.startsWith('message'))).toEqual([]);
    await expect(run('otp-rates set', 'sms', '1', '--per', 'call')).rejects.toThrow(
      '--per must be "verification" or "message", not',
    );
    await run('otp-providers delete', 'main');
    expect(await run('otp-routes list')).toEqual(['There are no routes.']);
  });

  it('refuse settings that make no sense', async () => {
    const file = path.join(place.folder, 'wrong.json');
    await writeFile(file, JSON.stringify({ host: 'smsc.example', system_id: 'acme' }));
    await expect(run('otp-providers set', 'x', 'smpp', file)).rejects.toThrow('The settings of the provider are wrong');
    await writeFile(file, JSON.stringify({ host: 'smsc.example', port: 2775, system_id: 'acme' }));
    await expect(run('otp-providers set', 'x', 'smpp', file, '--secret', 'nine char')).rejects.toThrow(
      'An SMPP password has at most 8 characters.',
    );
    await expect(run('otp-providers set', 'x', 'fax', file)).rejects.toThrow(
      'The kind of a provider must be "http" or "smpp", not "fax".',
    );
    await expect(run('otp-routes set', 'sms', 'nobody')).rejects.toThrow('There is no provider named "nobody".');
  });
});

it('the commands for guards change settings and bring them back', async () => {
  const set = await run(
    'otp-guards set',
    'destinationBudget=5/3600',
    'countries=de,at',
    'blockPremium=on',
    'prefixVelocity=9/60/6',
  );
  expect(set.map((line) => line.trim().split(/\s+/))).toEqual(
    expect.arrayContaining([
      ['destinationBudget', '5/3600'],
      ['countries', 'DE,AT'],
      ['blockPremium', 'on'],
      ['prefixVelocity', '9/60/6'],
    ]),
  );
  const back = await run(
    'otp-guards set',
    'destinationBudget=off',
    'countries=default',
    'blockPremium=off',
    'prefixVelocity=default',
  );
  expect(back).toEqual(await run('otp-guards list'));
  expect(back.map((line) => line.trim().split(/\s+/))).toEqual(
    expect.arrayContaining([
      ['countries', 'off'],
      ['destinationBudget', 'off'],
    ]),
  );
  for (const [pair, message] of [
    ['retentionHours=1', 'retentionHours must be a whole number from 24 to 1000000, not 1.'],
    ['accountRate=fast', 'accountRate must be a whole number from 1 to 1000000000, not "fast".'],
    ['destinationBudget=3', 'destinationBudget must be LIMIT/SECONDS, not "3".'],
    ['prefixVelocity=1/2/x', 'prefixVelocity must be a whole number from 1 to 1000000000, not "x".'],
    ['blockPremium=yes', 'blockPremium must be "on" or "off" or "ranges", not "yes".'],
    ['unknownNumbers=off', 'unknownNumbers must be "allow" or "refuse"'],
    ['countries=Germany', 'countries[0] must be an ISO country such as DE, not "GERMANY".'],
    ['nonsense', '"nonsense" is not NAME=VALUE of a setting.'],
  ] as const) {
    await expect(run('otp-guards set', pair)).rejects.toThrow(message);
  }
  expect(await run('otp-guards blocked')).toEqual(['No start was refused.']);
});
