import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { demoCatalogue } from './demo.ts';
import { exportCatalogue } from './export.ts';
import { importCatalogue } from './import.ts';
import { loadDemoCatalogue } from './load-demo.ts';
import { verifyStockBlocks, verifyStockShelves } from './stock-blocks.ts';

let world: TestEnvironment;

beforeAll(async () => {
  world = await createTestEnvironment();
  expect(await loadDemoCatalogue(world.env)).toBe(true);
});
afterAll(() => world.close());

test('every number of the demo catalogue is in stock, and counted in its block', async () => {
  const { ranges } = demoCatalogue();
  const { rows } = await world.env.pool.query('select count(*) as numbers from available_dids');
  expect(rows).toEqual([{ numbers: ranges.reduce((sum, { count }) => sum + count, 0) }]);
  expect(await verifyStockBlocks(world.env.db)).toEqual([]);
  expect(await verifyStockShelves(world.env.db)).toEqual([]);
});

test('the environment knows that its catalogue is the demo, and it is loaded once', async () => {
  expect(await world.env.db.selectFrom('environment_state').select('catalogue').execute()).toEqual([
    { catalogue: 'demo' },
  ]);
  expect(await loadDemoCatalogue(world.env)).toBe(false);
});

test('two processes that start together load it once', { timeout: 60_000 }, async () => {
  const other = await createTestEnvironment();
  try {
    const loaded = await Promise.all([loadDemoCatalogue(other.env), loadDemoCatalogue(other.env)]);
    expect(loaded.sort()).toEqual([false, true]);
  } finally {
    await other.close();
  }
});

test('an operator’s own catalogue is never mixed with it', async () => {
  const other = await createTestEnvironment();
  try {
    await other.env.pool.query(`insert into countries values (gen_random_uuid(), 'Own', '44', 'GB')`);
    expect(await loadDemoCatalogue(other.env)).toBe(false);
    expect(await other.env.db.selectFrom('countries').select('name').execute()).toEqual([{ name: 'Own' }]);
  } finally {
    await other.close();
  }
});

test('all of it survives an export and an import', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-demo-'));
  const other = await createTestEnvironment();
  try {
    const first = join(folder, 'first.jsonl');
    const second = join(folder, 'second.jsonl');
    await exportCatalogue(world.env, 'jsonl', createWriteStream(first));
    await importCatalogue(other.env, first);
    await exportCatalogue(other.env, 'jsonl', createWriteStream(second));
    expect((await readFile(second)).equals(await readFile(first))).toBe(true);
    expect(await verifyStockBlocks(other.env.db)).toEqual([]);
  } finally {
    await other.close();
    await rm(folder, { recursive: true });
  }
});
