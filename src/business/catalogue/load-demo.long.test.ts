/** The demo catalogue is loaded once, completely, whoever starts. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { capacityPools } from '../../interfaces/platform/capacity/capacity-pools.ts';
import { createAccount } from '../accounts/accounts.ts';
import { demoCatalogue } from './demo.ts';
import { exportCatalogue } from './export.ts';
import { importCatalogue } from './import.ts';
import { loadDemoCatalogue } from './load-demo.ts';
import { loadRequirements } from './requirements/load-requirements.ts';
import { catalogueTables } from './rows.ts';
import { verifyStockBlocks, verifyStockShelves } from './stock-blocks.ts';

const world = useOpened(() => createTestEnvironment());

beforeAll(async () => {
  expect(await loadDemoCatalogue(world.env)).toBe(true);
});

test('every number of the demo catalogue is in stock, and counted in its block', async () => {
  const { ranges } = demoCatalogue();
  const { rows } = await world.env.pool.query('select count(*) as numbers from available_dids');
  expect(rows).toEqual([{ numbers: ranges.reduce((sum, { count }) => sum + count, 0) }]);
  expect(await verifyStockBlocks(world.env.db)).toEqual([]);
  expect(await verifyStockShelves(world.env.db)).toEqual([]);
});

test('every reference of its rows leads to a row, where a first start has not checked them, and its indexes are used', async () => {
  const draft = await createTestEnvironment();
  expect(await loadDemoCatalogue(draft.env, { isDraft: true })).toBe(true);
  const { rows } = await draft.env.pool.query<{ at: string; sql: string }>(
    `
    select c.conrelid::regclass || '.' || k.attname as at,
      format('select count(*)::int as lost from %s child where child.%I is not null and not exists (
        select from %s parent where parent.%I = child.%I)', c.conrelid::regclass, k.attname, c.confrelid::regclass, r.attname, k.attname) as sql
    from pg_constraint c
      join pg_attribute k on k.attrelid = c.conrelid and k.attnum = c.conkey[1]
      join pg_attribute r on r.attrelid = c.confrelid and r.attnum = c.confkey[1]
    where c.contype = 'f' and c.conrelid = any ($1::regclass[])`,
    [catalogueTables],
  );
  expect(rows.length).toBeGreaterThan(10);
  for (const { at, sql } of rows) {
    expect([at, (await draft.env.pool.query(sql)).rows]).toEqual([at, [{ lost: 0 }]]);
  }
  const { rows: unused } = await draft.env.pool.query(
    'select indexrelid::regclass from pg_index where not (indisready and indisvalid)',
  );
  expect(unused).toEqual([]);
  const again =
    'insert into available_dids (number, did_group_id) select number, did_group_id from available_dids limit 1';
  await expect(draft.env.pool.query(again)).rejects.toThrow('available_dids_number_key');
  expect(await verifyStockBlocks(draft.env.db)).toEqual([]);
  await draft.close();
});

test('the environment knows that its catalogue is the demo, and it is loaded once', async () => {
  expect(await world.env.db.selectFrom('environment_state').select('catalogue').execute()).toEqual([
    { catalogue: 'demo' },
  ]);
  expect(await loadDemoCatalogue(world.env)).toBe(false);
});

test('two processes that start together load it once', async () => {
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

test('all of it survives an export and an import', async () => {
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

test('proof types have the ids of the reference service; those of an existing catalogue keep theirs', async () => {
  const bill = async (env: TestEnvironment['env']) =>
    (
      await env.db
        .selectFrom('proof_types')
        .select('id')
        .where('entity_type', '=', 'Address')
        .where('name', '=', 'Utility Bill')
        .execute()
    ).map(({ id }) => id);
  expect(await bill(world.env)).toEqual(['ab1fb565-ac55-4c73-bc55-64dc61e70169']);
  const other = await createTestEnvironment();
  try {
    const own = '00000000-0000-4000-8000-000000000001';
    await other.env.db
      .insertInto('proof_types')
      .values({ id: own, entity_type: 'Address', name: 'Utility Bill', valid_days: null, position: 0 })
      .execute();
    await loadRequirements(other.env.db);
    expect(await bill(other.env)).toEqual([own]);
  } finally {
    await other.close();
  }
});

test('the standard pool is listed first, as in the recorded responses', async () => {
  const { id } = await createAccount(world.env, { name: 'Pools' });
  const { rows } = await world.env.pool.query(
    `select t.name from capacity_pools_seen t where t.account_id = $1 order by ${capacityPools.tieBreak}`,
    [id],
  );
  expect(rows.map(({ name }) => name)).toEqual(['Standard', 'Extended']);
});
