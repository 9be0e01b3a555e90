/** Settings: what each means, and how a wrong one is refused. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from './read-config.ts';
import { settings } from './settings.ts';

describe('what a setting means', () => {
  it('reads the e-mail server, the seller and the storage', () => {
    const s3 = {
      TRUNKLINE_S3_URL: 'https://s3.example.test/files/',
      TRUNKLINE_S3_ACCESS_KEY: 'access',
      TRUNKLINE_S3_SECRET_KEY: 'secret',
    };
    const smtp = { TRUNKLINE_SMTP_URL: 'smtps://me%40x:pw@mail.example.test', TRUNKLINE_SMTP_FROM: 'A <a@x.test>' };
    expect(readConfig({ ...s3, ...smtp, TRUNKLINE_SELLER: 'Numbers Ltd | London\n' })).toMatchObject({
      seller: { lines: ['Numbers Ltd', 'London'], country: null, vatId: null },
      currency: 'USD',
      smtp: { host: 'mail.example.test', port: 465, isTls: true, user: 'me@x', password: 'pw', from: 'A <a@x.test>' },
      s3: { url: 'https://s3.example.test/files', region: 'us-east-1', accessKey: 'access', secretKey: 'secret' },
    });
    const submission = readConfig({
      TRUNKLINE_SMTP_URL: 'smtp://me@[::1]:2525',
      TRUNKLINE_SMTP_PASSWORD: 'of its own',
      TRUNKLINE_SMTP_FROM: 'a@x.test',
    });
    expect(submission.smtp).toEqual({
      ...{ host: '::1', port: 2525, isTls: false },
      ...{ user: 'me', password: 'of its own', from: 'a@x.test' },
    });
    expect(readConfig({})).toMatchObject({ seller: { lines: [] }, smtp: null, s3: null });
  });

  it('has the defaults of the design when nothing is said', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      sandboxOrderSeconds: 2,
      roles: new Set(['api', 'worker', 'voice']),
      dataDirectory: `${process.cwd()}/data`,
      trustedProxies: [],
      bootstrapFile: null,
      readyFile: null,
      fileKeyBits: 4096,
      serverKey: null,
      requestsInFlight: { platform: 500, perAccount: 200, verification: 500 },
      environments: {
        production: { port: 8080, databaseUrl: null, publicUrl: null },
        sandbox: { port: 8081, databaseUrl: null, publicUrl: null },
      },
    });
  });

  it('reads each variable', () => {
    const key = Buffer.alloc(32, 1);
    const config = readConfig({
      TRUNKLINE_HOST: '0.0.0.0',
      TRUNKLINE_PORT: '0',
      TRUNKLINE_SANDBOX_PORT: 'off',
      TRUNKLINE_DATA: '/srv/trunkline',
      DATABASE_URL: 'postgres://me:pw@db/production',
      SANDBOX_DATABASE_URL: 'postgresql://me:pw@db:5433/production',
      TRUNKLINE_PUBLIC_URL: 'https://api.example.test/numbers/',
      TRUNKLINE_SANDBOX_PUBLIC_URL: 'http://sandbox.example.test',
      TRUNKLINE_TRUSTED_PROXIES: '10.0.0.0/8, ::1, loopback',
      TRUNKLINE_BOOTSTRAP: '/etc/trunkline.json',
      TRUNKLINE_READY_FILE: '/run/ready',
      TRUNKLINE_ROLES: 'worker',
      TRUNKLINE_SERVER_KEY: key.toString('base64'),
      TRUNKLINE_LOG_LEVEL: 'debug',
      TRUNKLINE_DATABASE_CONNECTIONS: '5',
      TRUNKLINE_PLATFORM_REQUESTS: '50',
      TRUNKLINE_VERIFICATION_REQUESTS: '60',
    });
    expect(config.serverKey?.reveal()).toBe(key.toString('base64'));
    expect(config).toMatchObject({
      host: '0.0.0.0',
      roles: new Set(['worker']),
      dataDirectory: '/srv/trunkline',
      trustedProxies: ['10.0.0.0/8', '::1', 'loopback'],
      bootstrapFile: '/etc/trunkline.json',
      readyFile: '/run/ready',
      logLevel: 'debug',
      databaseConnections: 5,
      requestsInFlight: { platform: 50, perAccount: 20, verification: 60 },
      environments: {
        production: {
          port: 0,
          databaseUrl: 'postgres://me:pw@db/production',
          publicUrl: 'https://api.example.test/numbers',
        },
        sandbox: {
          port: null,
          databaseUrl: 'postgresql://me:pw@db:5433/production',
          publicUrl: 'http://sandbox.example.test',
        },
      },
    });
  });

  it.each([
    [{}, { port: 5060, isChosen: false, tlsPort: null }, { port: 5070, isChosen: false, tlsPort: null }],
    [{ TRUNKLINE_PORT: '0', TRUNKLINE_SANDBOX_PORT: 'off' }, { port: 0, isChosen: false, tlsPort: null }, null],
    [
      { TRUNKLINE_SIP_PORT: 'off', TRUNKLINE_SANDBOX_SIP_PORT: '5099' },
      null,
      { port: 5099, isChosen: true, tlsPort: null },
    ],
  ])('SIP ports follow the HTTP ports unless they are set: %o', (variables, production, sandbox) => {
    const { environments } = readConfig(variables);
    expect([environments.production.sip, environments.sandbox.sip]).toEqual([production, sandbox]);
  });

  it('reads addresses of SIP for both families', () => {
    const { sip } = readConfig({
      TRUNKLINE_SIP_HOST: '0.0.0.0, ::',
      TRUNKLINE_SIP_ADVERTISED: '203.0.113.7:5080, [2001:db8::7]',
    });
    expect(sip.hosts).toEqual(['0.0.0.0', '::']);
    expect(sip.advertised).toEqual([
      { host: '203.0.113.7', port: 5080 },
      { host: '2001:db8::7', port: null },
    ]);
  });

  it('lets a flag win over its variable', () => {
    const config = readConfig({ TRUNKLINE_PORT: '1', TRUNKLINE_DATA: '/a' }, { port: '2' });
    expect(config.environments.production.port).toBe(2);
    expect(config.dataDirectory).toBe('/a');
  });

  it('takes an empty variable as unset', () => {
    expect(readConfig({ TRUNKLINE_PORT: '', DATABASE_URL: ' ' }).environments.production).toMatchObject({
      port: 8080,
      databaseUrl: null,
    });
  });
});

describe('a wrong setting is refused in one sentence that names it', () => {
  it.each([
    [{ TRUNKLINE_PORT: '65536' }, 'TRUNKLINE_PORT must be a port from 0 to 65535 or "off", not "65536".'],
    [{ TRUNKLINE_SANDBOX_PORT: 'on' }, 'TRUNKLINE_SANDBOX_PORT must be a port from 0 to 65535 or "off", not "on".'],
    [
      { TRUNKLINE_ROLES: 'api,cook' },
      'TRUNKLINE_ROLES must be api, worker, voice or several of them with commas, not "api,cook".',
    ],
    [{ TRUNKLINE_PLATFORM_REQUESTS: '0' }, 'TRUNKLINE_PLATFORM_REQUESTS must be a whole number from 1 to 1000000'],
    [
      { TRUNKLINE_PLATFORM_REQUESTS: '10', TRUNKLINE_ACCOUNT_REQUESTS: '11' },
      'TRUNKLINE_ACCOUNT_REQUESTS must not be more than TRUNKLINE_PLATFORM_REQUESTS.',
    ],
    [{ TRUNKLINE_ROLES: ',' }, 'TRUNKLINE_ROLES must name at least one of api, worker and voice.'],
    [{ TRUNKLINE_PUBLIC_URL: 'ftp://x' }, 'TRUNKLINE_PUBLIC_URL must be an http or https address without'],
    [{ TRUNKLINE_PUBLIC_URL: 'https://x/?a' }, 'TRUNKLINE_PUBLIC_URL must be an http or https address without'],
    [{ TRUNKLINE_TRUSTED_PROXIES: '10.0.0.0/33' }, '"10.0.0.0/33" is neither'],
    [{ TRUNKLINE_TRUSTED_PROXIES: 'proxy.local' }, '"proxy.local" is neither'],
    [{ TRUNKLINE_SERVER_KEY: 'c2hvcnQ=' }, 'TRUNKLINE_SERVER_KEY must be 32 bytes in base64.'],
    [{ TRUNKLINE_SMTP_URL: 'https://x' }, 'TRUNKLINE_SMTP_URL must be an address such as smtps://'],
    [{ TRUNKLINE_SMTP_URL: 'smtp://x' }, 'TRUNKLINE_SMTP_URL needs TRUNKLINE_SMTP_FROM, the sender of e-mails.'],
    [{ TRUNKLINE_SMTP_FROM: 'billing' }, 'TRUNKLINE_SMTP_FROM must be an e-mail address such as billing@example.com.'],
    [{ TRUNKLINE_S3_URL: 'https://s3.x' }, 'TRUNKLINE_S3_URL must be an http or https address with a bucket'],
    [
      { TRUNKLINE_S3_URL: 'https://s3.x/b' },
      'TRUNKLINE_S3_URL needs TRUNKLINE_S3_ACCESS_KEY and TRUNKLINE_S3_SECRET_KEY.',
    ],
    [{ TRUNKLINE_LOG_LEVEL: 'loud' }, 'TRUNKLINE_LOG_LEVEL must be one of trace, debug'],
    [{ TRUNKLINE_DATABASE_CONNECTIONS: '1' }, 'TRUNKLINE_DATABASE_CONNECTIONS must be a whole number from 2 to 1000'],
  ])('%o', (variables, sentence) => {
    expect(() => readConfig(variables)).toThrow(sentence);
  });

  it('names the flag when that was wrong', () => {
    expect(() => readConfig({}, { 'sandbox-port': 'x' })).toThrow('--sandbox-port must be a port');
  });

  it('does not repeat a database address, which may hold a password', () => {
    expect(() => readConfig({ DATABASE_DIRECT_URL: 'postgres://a@db/x' })).toThrow(
      'DATABASE_DIRECT_URL needs DATABASE_URL, the address of the pooler.',
    );
    expect(() => readConfig({ DATABASE_URL: 'mysql://root:hunter2@db/x' })).toThrow(
      /^DATABASE_URL must be an address such as postgres:\/\/user:password@host:5432\/database\.$/,
    );
  });

  it('refuses one database for both environments, however it is written', () => {
    expect(() =>
      readConfig({ DATABASE_URL: 'postgres://a@db/x', SANDBOX_DATABASE_URL: 'postgresql://b:c@db:5432/x' }),
    ).toThrow('DATABASE_URL and SANDBOX_DATABASE_URL must name two different databases.');
    const [one, other] = ['postgres://a@one,two/x', 'postgres://a@three,two:5432/x'];
    const attributes = '?target_session_attrs=read-write';
    expect(() => readConfig({ DATABASE_URL: one + attributes, SANDBOX_DATABASE_URL: other + attributes })).toThrow(
      'DATABASE_URL and SANDBOX_DATABASE_URL must name two different databases.',
    );
  });

  it('refuses one port for both environments, unless any free one will do or both are off', () => {
    const both = (port: string) => readConfig({ TRUNKLINE_PORT: port, TRUNKLINE_SANDBOX_PORT: port });
    expect(() => both('9000')).toThrow('TRUNKLINE_PORT and TRUNKLINE_SANDBOX_PORT must be two different ports.');
    expect(both('0').environments.sandbox.port).toBe(0);
    expect(both('off').environments.sandbox.port).toBeNull();
  });
});

it('is explained in docs/operations.md, each with its flag and default', async () => {
  const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  for (const { variable, flag, fallback } of settings) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${variable}\` |`)) ?? '';
    expect([variable, row.includes(flag === null ? variable : `\`--${flag}\``)]).toEqual([variable, true]);
    expect([variable, row.includes(fallback ?? variable)]).toEqual([variable, true]);
  }
});

describe('a value in a file', () => {
  it('counts as the value of the variable, without the line break at its end', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-config-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'url');
    await writeFile(file, 'postgres://app:secret@db/trunkline\n');
    expect(readConfig({ DATABASE_URL_FILE: file }).environments.production.databaseUrl).toBe(
      'postgres://app:secret@db/trunkline',
    );
    expect(() => readConfig({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://x/y' })).toThrow(
      'DATABASE_URL and DATABASE_URL_FILE are both set; leave one of them out.',
    );
  });

  it('must be there', () => {
    expect(() => readConfig({ TRUNKLINE_SERVER_KEY_FILE: '/nowhere/key' })).toThrow(
      'TRUNKLINE_SERVER_KEY_FILE names /nowhere/key, which cannot be read (ENOENT).',
    );
  });
});
