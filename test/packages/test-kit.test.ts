/** The test kits as their users have them: the package from `npm pack`, its fixture, and its example. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { test as base, expect } from 'vitest';
import { trunklineTest } from '../../packages/test/vitest.js';
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
