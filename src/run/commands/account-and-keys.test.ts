/** Commands for accounts and API keys. */
import { describe, expect, it } from 'vitest';
import { openCommandPlace, run } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';

useOpened(() => openCommandPlace());

const runJson = async (command: string, ...args: string[]) =>
  JSON.parse((await run(command, ...args, '--json')).join('\n'));

describe('the commands for accounts and keys', () => {
  it('create an account and list it', async () => {
    expect(await run('account list')).toEqual(['There are no accounts.']);
    const created = await runJson('account create', 'Acme', '--email', 'ops@acme.test', '--balance', '1000.00');
    expect(created).toMatchObject({ name: 'Acme', balance: '1000.0000' });
    const [headings, line] = await run('account list');
    expect(headings).toMatch(/^NAME +ID +E-MAIL +BALANCE/);
    expect(line).toMatch(new RegExp(`^Acme +${created.id} +ops@acme.test +1000.00 +0.00 +newest`));
  });

  it('change what an account may do', async () => {
    await run('account create', 'Limited');
    await run(
      'account update',
      ...['Limited', '--features', 'emergency=off,tls=off', '--limits', 'reservations=3', '--read-only', 'on'],
    );
    await run('account update', 'Limited', '--features', 'tls=on');
    expect((await run('account list')).find((line) => line.startsWith('Limited'))).toMatch(
      /read-only, no emergency, reservations 3$/,
    );
  });

  it('change its name and its login, each used once', async () => {
    await run('account create', 'Former', '--email', 'former@acme.test');
    await run('account create', 'Neighbour', '--email', 'neighbour@acme.test');
    expect(await run('account update', 'Former', '--name', 'Later', '--email', 'later@acme.test')).toEqual([
      'Changed Later.',
    ]);
    expect(await runJson('account update', 'later@acme.test', '--email', '')).toMatchObject({
      name: 'Later',
      email: null,
    });
    await expect(run('account update', 'Later', '--name', 'Neighbour')).rejects.toThrow('already an account named');
    await expect(run('account update', 'Later', '--email', 'neighbour@acme.test')).rejects.toThrow(
      'already an account',
    );
    await expect(run('account update', 'Later', '--email', 'nobody')).rejects.toThrow('is not an e-mail address');
    await expect(run('account update', 'Later', '--name', ' ')).rejects.toThrow('needs a name');
  });

  it('set and change the version of the interface that serves an account', async () => {
    expect(await runJson('account create', 'Staying', '--api-version', '2022-05-10')).toMatchObject({
      apiVersion: '2022-05-10',
    });
    expect(await runJson('account update', 'Staying', '--api-version', '2026-04-16')).toMatchObject({
      apiVersion: '2026-04-16',
    });
    await expect(run('account update', 'Staying', '--api-version', '2020-01-01')).rejects.toThrow(
      '--api-version must be "2017-09-18" or "2021-04-19" or "2021-12-15" or "2022-05-10" or "2026-04-16", not "2020-01-01".',
    );
  });

  it('create, list and revoke a key', async () => {
    await run('account create', 'Keyed');
    const created = await runJson('keys create', ...['Keyed', '--name', 'ci', '--allowed-ips', '192.0.2.0/24, ::1']);
    const [printed] = await run('keys create', 'Keyed', '--key', 'a key of my own, long');
    expect(printed).toBe('a key of my own, long');

    const [first, second] = await runJson('keys list', '--account', 'Keyed');
    expect(first).toMatchObject({
      id: created.id,
      name: 'ci',
      allowedIps: ['192.0.2.0/24', '::1/128'],
      revokedAt: null,
    });
    expect(second).toMatchObject({ name: 'default', prefix: 'a ke' });
    expect(await run('keys revoke', created.id)).toEqual([`Revoked ${created.id}.`]);
    const lines = await run('keys list');
    expect(lines.join('\n')).not.toContain(created.key);
    expect(lines.find((line) => line.includes(created.id))).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d{4}-\d\d-\d\d/);
  });

  it.each<[string, string[], string]>([
    ['keys create', ['Nobody'], 'There is no account "Nobody" in sandbox.'],
    ['keys create', ['Acme', '--rate-limit', 'fast'], '--rate-limit must be a whole number from 1 to 1000000'],
    ['keys revoke', ['nonsense'], 'no API key with the id nonsense'],
    ['account update', ['Nobody'], 'There is no account "Nobody" in sandbox.'],
    ['account update', ['Acme', '--features', 'tls'], '--features cannot make sense of "tls"'],
    ['account update', ['Acme', '--limits', 'reservations=many'], '--limits cannot make sense of'],
    ['account update', ['Acme', '--read-only', 'yes'], '--read-only must be "on" or "off", not "yes".'],
    ['account create', ['X', '--api-version', '1999-01-01'], '--api-version must be "2017-09-18" or'],
    ['account create', ['Acme'], 'already an account named "Acme"'],
    [
      'account create',
      ['Taxed', '--vat-rate', '1000'],
      '--vat-rate must be a percentage from 0 to 100 with up to three',
    ],
    ['account create', ['Taxed', '--vat-rate', '-5'], '--vat-rate'],
    ['account create', ['Taxed', '--vat-rate', '21%'], '--vat-rate must be a percentage'],
    ['account update', ['Acme', '--vat-rate', '19.1234'], '--vat-rate must be a percentage'],
    ['account create', ['Rich', '--balance', 'much'], '--balance must be an amount such as 1000.00, not "much".'],
    ['account create', [], 'NAME is missing'],
  ])('say what is wrong: %#', async (command, args, text) => {
    await expect(run(command, ...args)).rejects.toThrow(text);
  });
});
