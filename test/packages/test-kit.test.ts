/** The test kits as their users have them: the package from `npm pack`, its fixture, and its example. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { test as base, expect } from 'vitest';
import { useTrunkline } from '../../packages/test/jest.js';
import { trunklineTest } from '../../packages/test/vitest.js';
import { TrunklineContainer } from '../../packages/testcontainers/index.js';
import { createTestDatabase } from '../support/database.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const sandbox = await createTestDatabase({ empty: true });

const test = trunklineTest(base, {
  command: [process.execPath, path.join(root, 'bin/trunkline.cjs')],
  from: 'empty',
  variables: { SANDBOX_DATABASE_URL: sandbox.url, DATABASE_URL: '', TRUNKLINE_WORLDS_READY: '1' },
});

test('every test has a world, a clock, faults and a list of what happened', async ({ trunkline, world }) => {
  expect(world.id).not.toBe(trunkline.id);
  const balance = () => fetch(`${world.url}/v3/balance`, { headers: { 'api-key': world.apiKey } });
  const { id } = await world.faults.add({ match: { path: '/v3/balance' }, do: { status: 503 }, times: null });
  expect((await balance()).status).toBe(503);
  await world.faults.remove(id);
  expect((await balance()).status).toBe(200);
  await expect.poll(async () => (await world.requests()).map(({ status }) => status)).toEqual([200, 503]);
  expect(await trunkline.requests()).toEqual([]);

  const before = await world.clock.now();
  expect((await world.clock.advance(3600)).getTime()).toBeGreaterThanOrEqual(before.getTime() + 3_600_000);
  const later = new Date(before.getTime() + 86_400_000);
  expect((await world.clock.runTo(later)).getTime()).toBeGreaterThanOrEqual(later.getTime());
  expect((await trunkline.clock.now()).getTime()).toBeLessThan(before.getTime() + 3_600_000);

  await world.snapshot('a day later');
  const other = await trunkline.world({ from: 'a day later' });
  expect((await other.clock.now()).getTime()).toBeGreaterThanOrEqual(later.getTime());
  await other.end();

  const { accounts } = await world.seed({
    accounts: [{ balance: '3.00', numbers: [{ country: 'GB', prefix: '20' }] }],
  });
  expect(accounts[0]?.numbers).toHaveLength(1);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-snapshot-'));
  const file = path.join(folder, 'shop.snapshot');
  await world.saveSnapshot(file);
  await trunkline.loadSnapshot(file, 'shop');
  const shop = await trunkline.world({ from: 'shop' });
  const owned = await fetch(`${shop.url}/v3/dids`, { headers: { 'api-key': shop.apiKey } });
  expect(JSON.parse(await owned.text()).data).toHaveLength(1);
  await shop.end();
  await rm(folder, { recursive: true });
  await expect(world.inbox.waitFor('+4915112345678', { wait: 0 })).rejects.toThrow('No message to +4915112345678');
});

const recipes = async (): Promise<{ title: string; code: string }[]> => {
  const page = await readFile(path.join(root, 'docs/testing.md'), 'utf8');
  const section = page.slice(page.indexOf('\n## Recipes'), page.indexOf('\n## Test kits'));
  const [shared, ...each] = [...section.matchAll(/(?:\*\*(.+?)\.?\*\*[^\n]*\n\n)?```js\n([\s\S]*?)```/g)];
  return each.map(([, title = '', code = '']) => {
    const imports = code.match(/^import .*$/gm) ?? [];
    const body = `${shared?.[2]}\n${code.replace(/^import .*$/gm, '')}`;
    const head = ["import assert from 'node:assert/strict';", ...imports].join('\n');
    return { title, code: `${head}\nexport const recipe = async (world) => {\n${body}\n};` };
  });
};

test('the recipes of docs/testing.md', async ({ trunkline }) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-recipes-'));
  try {
    const all = await recipes();
    expect(all.map(({ title }) => title)).toEqual([
      'Buy a number and route it',
      'Verify a phone',
      'A year of renewals',
      'A callback is retried',
      'Paperwork is rejected',
    ]);
    for (const [index, { title, code }] of all.entries()) {
      const file = path.join(folder, `${index}.mjs`);
      await writeFile(file, code);
      const world = await trunkline.world({ from: 'empty' });
      const { recipe } = await import(pathToFileURL(file).href);
      await expect(recipe(world), title).resolves.toBeUndefined();
      await world.end();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the set-up for Jest gives every test a world, and ends it', async ({ trunkline }) => {
  const hooks: Record<string, () => Promise<unknown>> = {};
  const hook = (name: string) => (work: () => unknown) => {
    hooks[name] = async () => work();
  };
  const { url: TRUNKLINE_URL, apiKey: TRUNKLINE_API_KEY } = trunkline.root;
  Object.assign(process.env, { TRUNKLINE_URL, TRUNKLINE_API_KEY });
  try {
    const each = { beforeEach: hook('beforeEach'), afterEach: hook('afterEach') };
    const t = useTrunkline({ beforeAll: hook('beforeAll'), afterAll: hook('afterAll'), ...each }, { from: 'empty' });
    await hooks.beforeAll?.();
    const ids: string[] = [];
    for (let run = 0; run < 2; run++) {
      await hooks.beforeEach?.();
      ids.push(t.world.id);
      await expect(t.world.clock.now()).resolves.toBeInstanceOf(Date);
      await hooks.afterEach?.();
    }
    expect(new Set(ids).size).toBe(2);
    await expect(t.world.clock.now()).rejects.toThrow('404');
    await hooks.afterAll?.();
  } finally {
    delete process.env.TRUNKLINE_URL;
    delete process.env.TRUNKLINE_API_KEY;
  }
});

test('the classes for pytest pass their own tests with the standard library alone', async ({ trunkline }) => {
  // A machine without Python has nobody who would use them.
  if ((await run('python3', ['--version']).catch(() => null)) === null) return;
  const { url: TRUNKLINE_URL, apiKey: TRUNKLINE_API_KEY } = trunkline.root;
  const { stderr } = await run('python3', ['-B', '-m', 'unittest', 'discover', '-s', 'tests'], {
    cwd: path.join(root, 'packages/pytest'),
    env: { ...process.env, TRUNKLINE_URL, TRUNKLINE_API_KEY, PYTHONPATH: '.' },
  });
  expect(stderr).toContain('Ran 2 tests');
});

test('the fixtures run under pytest itself', async ({ trunkline }) => {
  const { url: TRUNKLINE_URL, apiKey: TRUNKLINE_API_KEY } = trunkline.root;
  // As an installed package is loaded by its entry point.
  const words = ['-p', 'trunkline_pytest', '-p', 'no:cacheprovider', '-q', 'tests'];
  const { stdout } = await run('pytest-3', words, {
    cwd: path.join(root, 'packages/pytest'),
    env: { ...process.env, TRUNKLINE_URL, TRUNKLINE_API_KEY, PYTHONPATH: '.', PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect(stdout).toContain('5 passed');
});

test('the container is started with a key, and waits until it is ready', async () => {
  const asked: unknown[] = [];
  const note = (name: string) =>
    function (this: unknown, ...given: unknown[]) {
      asked.push([name, ...given]);
      return this;
    };
  class GenericContainer {
    withExposedPorts = note('ports');
    withEnvironment = note('environment');
    withCopyContentToContainer = note('content');
    withWaitStrategy = note('wait');
    start = async () => ({ getHost: () => 'docker.test', getMappedPort: () => 32_768, stop: async () => undefined });
  }
  const Wait = { forHttp: (at: string, port: number) => `${at} at ${port}` };
  const started = await new TrunklineContainer({ GenericContainer, Wait }, 'trunkline:1').start();
  expect(started.variables).toEqual({ TRUNKLINE_URL: 'http://docker.test:32768', TRUNKLINE_API_KEY: started.apiKey });
  expect(asked).toContainEqual(['wait', '/readyz at 8081']);
  expect(JSON.stringify(asked)).toContain(started.apiKey);
});

test('the package that npm packs runs its example against a server that runs already', async ({ trunkline }) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-kit-'));
  try {
    const kit = path.join(root, 'packages/test');
    await run('npm', ['pack', kit, '--pack-destination', folder], { cwd: folder });
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    const installed = path.join(folder, 'node_modules/@trunkline/test');
    await mkdir(installed, { recursive: true });
    await run('tar', ['xzf', path.join(folder, archive), '--strip-components=1', '-C', installed]);
    await cp(path.join(installed, 'examples/verify-a-phone.test.js'), path.join(folder, 'phone.test.mjs'));
    const { url: TRUNKLINE_URL, apiKey: TRUNKLINE_API_KEY } = trunkline.root;
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'phone.test.mjs'], {
      cwd: folder,
      env: { ...process.env, TRUNKLINE_URL, TRUNKLINE_API_KEY, NODE_OPTIONS: '' },
    });
    expect(stdout).toContain('# pass 2');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
