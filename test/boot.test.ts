/** The boot promise, on real processes: scripts rely on every line of it. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exists } from '../src/base/files.ts';
import { openEmbeddedServer } from '../src/engines/db/embedded.ts';
import { ask, createBench, type OwnDatabases } from './support/boot.ts';
import { checkedFetch } from './support/checked-fetch.ts';
import { PanelClient } from './support/panel-client.ts';
import type { Trunkline } from './support/trunkline.ts';

const run = promisify(execFile);
const { folder, start, ownDatabases, migratedDatabases, bootstrapFile } = createBench();

/** How many keys for uploaded files each environment has. */
async function fileKeysIn(dataDirectory: string): Promise<number[]> {
  const embedded = await openEmbeddedServer({ dataDirectory });
  try {
    const counts: number[] = [];
    for (const name of ['production', 'sandbox']) {
      const client = new pg.Client({ connectionString: embedded.url(`trunkline_${name}`) });
      await client.connect();
      counts.push(Number((await client.query('select count(*) as keys from encryption_keys')).rows[0].keys));
      await client.end();
    }
    return counts;
  } finally {
    await embedded.close();
  }
}

const line = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? `nothing like ${pattern} in ${text}`;
const seconds = (text: string): number => Number(line(text, /ready after ([\d.]+) s/));

describe('on an embedded database', () => {
  it('starts from nothing, says how to use it, and starts again with what is there', async () => {
    const first = await start('life');
    const ready = await first.ready();
    expect(ready.environments.production?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    for (const environment of Object.values(ready.environments)) {
      expect((await checkedFetch(`${environment.url}/readyz`)).status).toBe(200);
    }
    // Nobody waits for keys that are made on demand.
    expect(await fileKeysIn(path.join(folder(), 'life', 'data'))).toEqual([2, 2]);
    await expect.poll(first.stdout).toContain('Try it:');
    expect(seconds(first.stdout())).toBeGreaterThan(0);

    // The one curl line works as it was printed.
    const command = line(first.stdout(), /^ +(curl .*)$/m);
    const { stdout } = await run('sh', ['-c', `${command.replace('curl', 'curl -s')} -w '\\n%{http_code}'`]);
    expect(stdout).toMatch(/"type":"countries"[\s\S]*\n200$/);
    const key = line(first.stdout(), /production \(kept[\s\S]*?API key +(\S+)/);
    const answer = await checkedFetch(`${ready.environments.production?.url}/v3/countries`, {
      headers: { 'api-key': key },
    });
    expect(answer.status).toBe(200);
    expect(first.stdout()).toMatch(/OTP application +[0-9a-f-]{36}\n +OTP secret +[\w-]{43}\n/);
    // Nothing is offered that is not there: the login that is printed opens the panel.
    const [, email, password] = /Panel +(\S+)\n +Password +(\S+)\n/.exec(first.stdout()) ?? [];
    const browser = new PanelClient(ready.environments.production?.url ?? '');
    expect((await browser.signIn({ email, password })).status).toBe(201);
    expect((await stat(path.join(folder(), 'life/data/server.key'))).mode & 0o777).toBe(0o600);

    expect(await first.stop()).toBe(0);
    expect(first.stderr()).toBe('');
    expect(await readdir(path.join(folder(), 'life'))).toEqual(['data']);

    const second = await start('life');
    const { environments } = await second.ready();
    await expect.poll(second.stdout).toContain('The demo account of sandbox is in');
    expect(second.stdout()).not.toContain(key);
    expect(
      (await checkedFetch(`${environments.production?.url}/v3/countries`, { headers: { 'api-key': key } })).status,
    ).toBe(200);
    expect(await second.stop('SIGINT')).toBe(0);
  });

  it('takes up after being killed, with nothing lost', async () => {
    const first = await start('life');
    await first.ready();
    await first.stop('SIGKILL');
    const second = await start('life');
    const { environments } = await second.ready();
    expect((await checkedFetch(`${environments.sandbox?.url}/readyz`)).status).toBe(200);
    expect(await second.stop()).toBe(0);
  });

  it('refuses a second server on the data folder, while commands may join', async () => {
    const first = await start('life');
    await first.ready();
    const second = await start('life');
    expect(await second.ended()).toBe(1);
    expect(second.stderr()).toMatch(
      /^Another Trunkline is already running on the data folder \S+life\/data; [^\n]+\n$/,
    );
    const command = await start('life', {}, ['account', 'list', '--env', 'sandbox']);
    expect(await command.ended()).toBe(0);
    expect(command.stdout()).toContain('Demo');
    await first.ready();
    expect(await first.stop()).toBe(0);
  });

  it('leaves no database behind when a person does not even wait for the first start', async () => {
    const process = await start('impatient');
    const made = (file: string) => path.join(folder(), 'impatient/data', file);
    await expect.poll(() => exists(made('server.key'))).toBe(true);
    process.child.kill('SIGINT');
    // Again and again: two signals that reach a process while it computes are heard at once, and one counts as an echo.
    const again = setInterval(() => process.child.kill('SIGINT'), 1100);
    // The first signal ends the start; if that takes longer than a second, the next one does.
    expect([0, 1]).toContain(await process.ended());
    clearInterval(again);
    await expect.poll(() => exists(made('postgres/cluster/postmaster.pid'))).toBe(false);
  });

  it('lets a command work while no server runs', async () => {
    const command = await start('life', {}, ['account', 'list']);
    expect(await command.ended()).toBe(0);
    expect(command.stdout()).toContain('Demo');
  });

  it('lets a reader of a command have seen enough', async () => {
    const program = `'${process.execPath}' '${path.resolve(import.meta.dirname, '../src/main.ts')}'`;
    const env = { ...process.env, TRUNKLINE_DATA: path.join(folder(), 'life/data') };
    const { stdout, stderr } = await run('sh', ['-c', `${program} catalogue export | head -1`], { env });
    expect(stdout).toMatch(/^\{"type" : "countries".*\n$/);
    expect(stderr).toBe('');
  });
});

describe('on databases of the operator', () => {
  it('creates nothing by itself', async () => {
    const urls = await ownDatabases();
    const process = await start('outside', urls);
    await process.ready();
    await process.stop();
    expect(await ask(urls.DATABASE_URL, 'select name from accounts')).toEqual([]);
    expect(await ask(urls.SANDBOX_DATABASE_URL, 'select catalogue from environment_state')).toEqual([
      { catalogue: null },
    ]);
    expect(await readdir(path.join(folder(), 'outside/data'))).toEqual(['server.key']);
  });

  it('makes what the bootstrap file asks for once, though several processes start together', async () => {
    const urls = await ownDatabases();
    const key = 'a key for the bootstrap test';
    const file = await bootstrapFile(key);
    const processes = await Promise.all(
      [1, 2, 3].map((number) =>
        start(`together-${number}`, {
          ...urls,
          TRUNKLINE_BOOTSTRAP: file,
          TRUNKLINE_SANDBOX_ORDER_SECONDS: '',
          TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 3).toString('base64'),
        }),
      ),
    );
    const all = await Promise.all(processes.map((process) => process.ready()));
    for (const { environments } of all) {
      const answer = await checkedFetch(`${environments.sandbox?.url}/sandbox/v1/orders`, {
        headers: { 'api-key': key },
      });
      expect(await answer.json()).toEqual({ delay_seconds: 2 });
    }
    expect(await ask(urls.SANDBOX_DATABASE_URL, 'select name from accounts')).toEqual([{ name: 'Acme' }]);
    expect(await Promise.all(processes.map((process) => process.stop()))).toEqual([0, 0, 0]);
  });

  it('serves only what it is told to', async () => {
    const urls = await migratedDatabases();
    const half = await start('half', { ...urls, TRUNKLINE_PORT: 'off' });
    expect(Object.keys((await half.ready()).environments)).toEqual(['sandbox']);
    await half.stop();
    const worker = await start('half', { ...urls, TRUNKLINE_ROLES: 'worker' });
    const { environments } = await worker.ready();
    for (const page of ['/healthz', '/readyz', '/metrics']) {
      expect((await checkedFetch(`${environments.sandbox?.url}${page}`)).status).toBe(200);
    }
    expect(await (await checkedFetch(`${environments.production?.url}/readyz`)).json()).toMatchObject({
      workers: 'ok',
    });
    // The interfaces themselves are not there, whoever asks.
    expect((await fetch(`${environments.sandbox?.url}/v3/public_keys`)).ok).toBe(false);
    expect(await worker.stop()).toBe(0);
  });

  it('finishes the requests in flight when it is told to stop', async () => {
    const { process, answer, letGo } = await hangingRequest('stopping');
    const stopped = process.stop();
    await expect.poll(process.stdout).toContain('"stopping"');
    await letGo();
    expect((await answer)?.status).toBe(200);
    expect(await stopped).toBe(0);
  });

  it('does not wait any longer when it is told a second time', async () => {
    const { process, answer, letGo } = await hangingRequest('forced');
    const stopped = process.stop();
    await expect.poll(process.stdout).toContain('"stopping"');
    // One that follows at once is an echo of the first, as npm and terminals make them.
    process.child.kill('SIGTERM');
    await sleep(1100);
    expect(process.child.exitCode).toBeNull();
    process.child.kill('SIGTERM');
    expect(await stopped).toBe(1);
    expect(await answer).toBeNull();
    await letGo();
  });
});

/** What an operator has to reckon with (docs/deploy.md). */
it('has at most 30 connections for both environments, however many requests come', async () => {
  const urls = await migratedDatabases();
  const key = 'a key for many connections';
  const file = await bootstrapFile(key);
  const server = await start('connections', { ...urls, TRUNKLINE_BOOTSTRAP: file });
  const { environments } = await server.ready();
  // Not the test's own questions, which may meet each other.
  const question = `select count(*)::int as open from pg_stat_activity
    where datname in (${Object.values(urls).map(databaseOf).join()}) and application_name like 'trunkline%'`;
  const counts: number[] = [];
  const flood = Promise.all(
    Array.from({ length: 300 }, async (_, n) => {
      const url = n % 3 === 0 ? environments.production?.url : environments.sandbox?.url;
      const response = await fetch(`${url}/v3/${n % 2 ? 'balance' : 'dids'}`, { headers: { 'api-key': key } });
      await response.text();
      if (n % 60 === 0) counts.push((await ask<{ open: number }>(urls.DATABASE_URL, question))[0]?.open ?? 0);
    }),
  );
  await flood;
  expect(Math.max(...counts)).toBeLessThanOrEqual(30);
  expect(Math.max(...counts)).toBeGreaterThan(10);
});

const databaseOf = (url: string): string => `'${new URL(url).pathname.slice(1)}'`;

describe('started by npm', () => {
  it.each([
    ['npm alone', (pid: number) => process.kill(pid, 'SIGTERM')],
    ['all of its processes, as a terminal does', (pid: number) => process.kill(-pid, 'SIGINT')],
  ])('takes flags, and stops cleanly when the signal goes to %s', async (_whom, tell) => {
    const readyFile = path.join(folder(), 'npm.json');
    const child = spawn('npm', ['start', '--', '--ready-file', readyFile, '--sandbox-port', '0'], {
      cwd: path.resolve(import.meta.dirname, '..'),
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...process.env,
        ...(await migratedDatabases()),
        TRUNKLINE_DATA: path.join(folder(), 'npm'),
        TRUNKLINE_PORT: 'off',
      },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const ended = once(child, 'close');
    const { pid } = child;
    if (pid === undefined) throw new Error('npm could not be started');
    onTestFinished(() => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
    });
    await expect.poll(async () => readFile(readyFile, 'utf8').catch(() => ''), { timeout: 60_000 }).toContain('pid');
    tell(pid);
    expect(await ended).toEqual([0, null]);
    expect(output).toContain('"stopped"');
  });
});

interface Hanging {
  process: Trunkline;
  /** Null when it was cut off. */
  answer: Promise<Response | null>;
  letGo(): Promise<void>;
}

/** A request that waits for a lock which the test holds. */
async function hangingRequest(name: string): Promise<Hanging> {
  const urls: OwnDatabases = await migratedDatabases();
  const key = `a key for the test named ${name}`;
  const process = await start(name, { ...urls, TRUNKLINE_BOOTSTRAP: await bootstrapFile(key), TRUNKLINE_PORT: 'off' });
  const { environments } = await process.ready();
  const client = new pg.Client({ connectionString: urls.SANDBOX_DATABASE_URL });
  await client.connect();
  await client.query('begin; lock table environment_state in exclusive mode');
  const answer = checkedFetch(`${environments.sandbox?.url}/sandbox/v1/clock`, {
    method: 'POST',
    headers: { 'api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ advance_seconds: 1 }),
  }).catch(() => null);
  const waiting = `select from pg_locks where not granted and relation = 'environment_state'::regclass`;
  await expect.poll(async () => (await client.query(waiting)).rowCount).toBeGreaterThan(0);
  const letGo = async () => {
    await client.query('commit');
    await client.end();
  };
  return { process, answer, letGo };
}
