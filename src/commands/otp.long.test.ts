import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCommandPlace, run } from '../../test/support/commands.ts';
import { useOpened } from '../../test/support/use.ts';
import { accountCreateCommand } from './account.ts';
import {
  otpCreateCommand,
  otpDeleteCommand,
  otpEditCommand,
  otpListCommand,
  otpRegenerateSecretCommand,
} from './otp.ts';
import {
  otpProvidersDeleteCommand,
  otpProvidersListCommand,
  otpProvidersSetCommand,
  otpRatesListCommand,
  otpRatesSetCommand,
  otpRoutesListCommand,
  otpRoutesSetCommand,
} from './otp-delivery.ts';
import { otpGuardsBlockedCommand, otpGuardsListCommand, otpGuardsSetCommand } from './otp-guards.ts';

const place = useOpened(() => openCommandPlace());
beforeAll(async () => {
  await run(accountCreateCommand, 'Acme');
});

describe('the commands for OTP applications', () => {
  it('create, list, edit, renew and delete one', async () => {
    expect(await run(otpListCommand)).toEqual(['There are no OTP applications.']);
    const made = JSON.parse((await run(otpCreateCommand, 'Acme', 'web', '--code-length', '4', '--json')).join(''));
    expect(made).toEqual({
      name: 'web',
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      secret: expect.stringMatching(/^[\w-]{43}$/),
    });
    await run(otpEditCommand, made.key, '--minimum-mode', 'basic', '--callback-url', 'https://h.example?x=1');
    const [, line] = await run(otpListCommand, '--account', 'Acme');
    expect(line).toMatch(/^web +\S{36} +basic +4 digits, 300 s +https:\/\/h\.example\?x=1 /);
    expect(line).not.toContain(made.secret);
    const [, , secret] = await run(otpRegenerateSecretCommand, made.key);
    expect(secret).toMatch(/^secret {2}[\w-]{43}$/);
    expect(secret).not.toContain(made.secret);
    expect(await run(otpDeleteCommand, made.key)).toEqual(['Deleted web.']);
    expect(await run(otpListCommand)).toEqual(['There are no OTP applications.']);
    await expect(run(otpDeleteCommand, made.key)).rejects.toThrow('There is no OTP application with the key');
  });

  it.each([
    [['--code-length', '9'], '--code-length must be a whole number from 4 to 8, not "9".'],
    [['--code-timeout', '59'], '--code-timeout must be a whole number from 60 to 600, not "59".'],
    [['--callback-url', 'ftp://x'], 'The callback URL must be an http or https address.'],
    [['--minimum-mode', 'none'], '--minimum-mode must be "public" or "basic" or "application", not "none".'],
    [['--senders', 'Germany=Acme'], 'Senders are set per ISO country or as "default", not for "Germany".'],
    [['--senders', 'DE=much too long a name'], 'is no sender id'],
  ])('refuse %j', async (options, text) => {
    await expect(run(otpCreateCommand, 'Acme', 'x', ...options)).rejects.toThrow(text);
  });

  it('keep names apart', async () => {
    await run(otpCreateCommand, 'Acme', 'twice');
    await expect(run(otpCreateCommand, 'Acme', 'twice')).rejects.toThrow(
      'The account already has an application named "twice".',
    );
  });
});

describe('the commands for delivery', () => {
  it('set up a provider, a route and a rate', async () => {
    const file = path.join(place.folder, 'smsc.json');
    await writeFile(file, JSON.stringify({ host: 'smsc.example', port: 2775, system_id: 'acme' }));
    await run(otpProvidersSetCommand, 'main', 'smpp', file, '--secret', 'hush');
    expect((await run(otpProvidersListCommand))[1]).toMatch(/^main +smpp +on +ok +smsc\.example:2775$/);
    await run(otpRoutesSetCommand, 'sms', 'main', '--prefix', '49');
    expect((await run(otpRoutesListCommand))[1]).toMatch(/^sms +49 +main +10$/);
    await run(otpRatesSetCommand, 'sms', '0.0375', '--prefix', '49');
    expect((await run(otpRatesListCommand)).some((line) => /^verification +sms +49 +0\.0375$/.test(line))).toBe(true);
    await run(otpRatesSetCommand, 'sms', '0.0125', '--prefix', '49', '--per', 'message');
    expect((await run(otpRatesListCommand)).filter((line) => / sms +49 /.test(line))).toHaveLength(2);
    await run(otpRatesSetCommand, 'sms', 'none', '--prefix', '49', '--per', 'message');
    expect((await run(otpRatesListCommand)).filter((line) => line.startsWith('message'))).toEqual([]);
    await expect(run(otpRatesSetCommand, 'sms', '1', '--per', 'call')).rejects.toThrow(
      '--per must be "verification" or "message", not',
    );
    await run(otpProvidersDeleteCommand, 'main');
    expect(await run(otpRoutesListCommand)).toEqual(['There are no routes.']);
  });

  it('refuse settings that make no sense', async () => {
    const file = path.join(place.folder, 'wrong.json');
    await writeFile(file, JSON.stringify({ host: 'smsc.example', system_id: 'acme' }));
    await expect(run(otpProvidersSetCommand, 'x', 'smpp', file)).rejects.toThrow(
      'The settings of the provider are wrong',
    );
    await writeFile(file, JSON.stringify({ host: 'smsc.example', port: 2775, system_id: 'acme' }));
    await expect(run(otpProvidersSetCommand, 'x', 'smpp', file, '--secret', 'nine char')).rejects.toThrow(
      'An SMPP password has at most 8 characters.',
    );
    await expect(run(otpProvidersSetCommand, 'x', 'fax', file)).rejects.toThrow(
      'The kind of a provider must be "http" or "smpp", not "fax".',
    );
    await expect(run(otpRoutesSetCommand, 'sms', 'nobody')).rejects.toThrow('There is no provider named "nobody".');
  });
});

it('the commands for guards change settings and bring them back', async () => {
  const set = await run(
    otpGuardsSetCommand,
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
    otpGuardsSetCommand,
    'destinationBudget=off',
    'countries=default',
    'blockPremium=off',
    'prefixVelocity=default',
  );
  expect(back).toEqual(await run(otpGuardsListCommand));
  expect(back.map((line) => line.trim().split(/\s+/))).toEqual(
    expect.arrayContaining([
      ['countries', 'off'],
      ['destinationBudget', 'off'],
    ]),
  );
  await expect(run(otpGuardsSetCommand, 'retentionHours=1')).rejects.toThrow('retentionHours must be at least 24.');
  await expect(run(otpGuardsSetCommand, 'nonsense')).rejects.toThrow('"nonsense" is not NAME=VALUE of a setting.');
  expect(await run(otpGuardsBlockedCommand)).toEqual(['No start was refused.']);
});
