/** What goes wrong at the start, on real processes: each mistake has its sentence. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, createBench } from './support/boot.ts';
import { freePort } from './support/datagrams.ts';
import { startOldPostgres } from './support/old-postgres.ts';

const { folder, start, ownDatabases, migratedDatabases } = createBench();

describe('what goes wrong is said in one sentence, and the exit code is 1', () => {
  const fails = async (name: string, variables: Record<string, string>, sentence: RegExp, words?: string[]) => {
    const process = await start(name, variables, words);
    expect(await process.ended()).toBe(1);
    expect(process.stderr()).toMatch(sentence);
    expect(process.stderr().trim().split('\n')).toHaveLength(1);
  };

  it('a port that is taken, before anything is made', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    await fails(
      'taken',
      { TRUNKLINE_SANDBOX_PORT: port },
      new RegExp(`^Port ${port} on 127.0.0.1 is taken by another program`),
    );
    expect(await readdir(path.join(folder(), 'taken'))).toEqual([]);
    other.close();
  });

  it('ports of media that others have, or that are none of this machine, before anything is made', async () => {
    const sip = { TRUNKLINE_SIP_PORT: '0', TRUNKLINE_SANDBOX_SIP_PORT: '0' };
    const taken = createSocket('udp4').bind(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address();
    const from = port - (port % 2);
    // Both pairs are held by one of their ports.
    const other = createSocket('udp4').bind(from + 2, '127.0.0.1');
    await once(other, 'listening');
    await fails(
      'media',
      { ...sip, TRUNKLINE_MEDIA_PORTS: `${from}-${from + 3}` },
      new RegExp(`^TRUNKLINE_MEDIA_PORTS ${from}-${from + 3} cannot be used: All media ports are in use\\.$`, 'm'),
    );
    expect(await readdir(path.join(folder(), 'media'))).toEqual([]);
    taken.close();
    other.close();
    await fails(
      'nowhere',
      { ...sip, TRUNKLINE_MEDIA_ADVERTISED: 'media.nowhere.invalid' },
      /^TRUNKLINE_MEDIA_ADVERTISED media\.nowhere\.invalid leads to no address of the kind that is bound \(127\.0\.0\.1\)/,
    );
  });

  it('too few ports for a call, and a certificate of SIP without its key', async () => {
    await fails(
      'few',
      { TRUNKLINE_MEDIA_PORTS: '20000-20001' },
      /^TRUNKLINE_MEDIA_PORTS must have at least 4 ports, which is one call, not "20000-20001"\.$/m,
    );
    for (const [set, missing] of [
      ['CERTIFICATE', 'KEY'],
      ['KEY', 'CERTIFICATE'],
    ] as const) {
      await fails(
        'half',
        { [`TRUNKLINE_SIP_${set}`]: '/etc/ssl/sip.pem' },
        new RegExp(
          `^TRUNKLINE_SIP_CERTIFICATE and TRUNKLINE_SIP_KEY belong together: TRUNKLINE_SIP_${missing} is not set\\.$`,
          'm',
        ),
      );
    }
  });

  it('a data folder that cannot be written', async () => {
    const file = path.join(folder(), 'a-file');
    await writeFile(file, '');
    await fails(
      'unwritable',
      { TRUNKLINE_DATA: path.join(file, 'data') },
      /^The data folder \S+ is not writable: not a directory\.$/m,
    );
  });

  it('a database that does not answer', async () => {
    const url = 'postgres://me:hunter2@127.0.0.1:1/numbers';
    await fails(
      'unreachable',
      { DATABASE_URL: url, TRUNKLINE_SANDBOX_PORT: 'off' },
      /^The production database at 127\.0\.0\.1:1\/numbers cannot be reached: (?!.*hunter2)/,
    );
  });

  it('a database that is not there', async () => {
    const { DATABASE_URL } = await ownDatabases();
    const url = new URL(DATABASE_URL);
    url.pathname = '/nowhere';
    await fails(
      'missing',
      { DATABASE_URL: url.href, TRUNKLINE_SANDBOX_PORT: 'off' },
      /database "nowhere" does not exist\.$/m,
    );
  });

  it('a server that is too old', async () => {
    const old = await startOldPostgres();
    await fails(
      'old',
      { DATABASE_URL: old.url, TRUNKLINE_SANDBOX_PORT: 'off' },
      /^Trunkline needs PostgreSQL 15 or newer; this server is PostgreSQL 14\.$/m,
    );
    await old.close();
  });

  it('a schema of a newer version', async () => {
    const urls = await ownDatabases();
    const command = await start('newer', urls, ['migrate']);
    expect(await command.ended()).toBe(0);
    await ask(
      urls.DATABASE_URL,
      `insert into schema_migrations select 9999, '9999_future.sql', '', applied_at from schema_migrations limit 1`,
    );
    await fails(
      'newer',
      urls,
      /^The database has the newer schema 9999_future\.sql, which this Trunkline does not know/,
    );
  });

  it('another server key than the database was made with', async () => {
    const urls = await ownDatabases();
    const key = (byte: number) => ({ TRUNKLINE_SERVER_KEY: Buffer.alloc(32, byte).toString('base64') });
    const command = await start('key', { ...urls, ...key(1) }, ['migrate']);
    expect(await command.ended()).toBe(0);
    await fails('key', { ...urls, ...key(2) }, /^The (production|sandbox) database was made with another server key/);
  });

  it('a wrong bootstrap file', async () => {
    const file = path.join(folder(), 'wrong.json');
    await writeFile(
      file,
      JSON.stringify({ sandbox: { accounts: [{ name: 'A', api_keys: [{ name: 'a', key: 'short' }] }] } }),
    );
    await fails(
      'wrong',
      { TRUNKLINE_BOOTSTRAP: file },
      /: sandbox\.accounts\[0\]\.api_keys\[0\]\.key must be a string of at least 16 characters\.$/m,
    );
    expect(await readdir(path.join(folder(), 'wrong'))).toEqual([]);
  });

  it('a wrong setting', async () => {
    await fails(
      'setting',
      { TRUNKLINE_PORT: 'eighty' },
      /^TRUNKLINE_PORT must be a port from 0 to 65535 or "off", not "eighty"\.$/m,
    );
    await fails('setting', { TRUNKLINE_PORT: 'off', TRUNKLINE_SANDBOX_PORT: 'off' }, /^Both ports are off/);
  });

  it.each([
    [['dance'], /^There is no command 'dance'; see trunkline --help\.$/m],
    [['keys', 'dance'], /^There is no command 'keys dance'; see trunkline keys --help\.$/m],
    [['keys', 'craete'], /^There is no command 'keys craete'; did you mean 'keys create'\?$/m],
    [['acount', 'create'], /^There is no command 'acount'; did you mean 'account create'\?$/m],
    [['serve', '--dance'], /^Unknown option '--dance'; see trunkline serve --help\.$/m],
    [['serve', '--port'], /^Option '--port <value>' argument missing; see trunkline serve --help\.$/m],
    [['serve', 'now'], /^Unexpected argument 'now'; see trunkline serve --help\.$/m],
    [['migrate', '--env', 'staging'], /^--env must be "production" or "sandbox", not "staging"\.$/m],
  ])('a wrong command line: %j', async (words, sentence) => {
    await fails('words', {}, sentence, words);
  });
});

it('an rtpengine that is not there is named in the log, and the start goes on: it may come later', async () => {
  const port = await freePort();
  const media = { TRUNKLINE_MEDIA: `rtpengine:127.0.0.1:${port}`, TRUNKLINE_SANDBOX_SIP_PORT: '0' };
  const databases = await migratedDatabases();
  const process = await start('no-engine', { ...databases, ...media, TRUNKLINE_PORT: 'off' });
  await process.ready();
  const sentence = `rtpengine 127.0.0.1:${port} of TRUNKLINE_MEDIA does not run: it gets no calls until it answers`;
  const lines = `${process.stdout()}${process.stderr()}`.split('\n').filter((line) => line.includes(sentence));
  expect(lines).toHaveLength(1);
});

describe('help', () => {
  it.each([
    [['--help'], /migrate +Bring the databases/],
    [['keys', '--help'], /keys create/],
    [['serve', '--help'], /--sandbox-port PORT +sandbox; same values \(TRUNKLINE_SANDBOX_PORT, 8081\)/],
    [['migrate', '--help'], /--env production\|sandbox/],
  ])('%j', async (words, text) => {
    const process = await start('help', {}, words);
    expect(await process.ended()).toBe(0);
    expect(process.stdout()).toMatch(text);
  });
});
