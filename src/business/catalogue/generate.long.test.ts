/** Generated stock: numbers spread over groups, the same each time. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { generateNumbers } from './generate.ts';
import { importCatalogue } from './import.ts';
import { jsonLines, london, newYork, paris, smallCatalogue, ukMobile } from './small-catalogue.fixture.ts';
import { rebuildStockBlocks, verifyStockBlocks, verifyStockShelves } from './stock-blocks.ts';

const world = useOpened(() => createTestEnvironment());

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-generate-'));
  await writeFile(join(folder, 'small.jsonl'), jsonLines(smallCatalogue));
  await importCatalogue(world.env, join(folder, 'small.jsonl'));
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await world.env.db.deleteFrom('available_dids').execute();
  await world.env.db.deleteFrom('stock_blocks').execute();
});

test('numbers are spread over the groups with pickable numbers, dense in their blocks and valid', async () => {
  expect(await generateNumbers(world.env, 4500)).toEqual({ numbers: 4500, groups: 3 });
  const stock = await byGroup();
  expect([...stock.keys()].sort()).toEqual([london, newYork, paris].sort());
  for (const numbers of stock.values()) {
    expect(numbers).toHaveLength(1500);
    expect(Number(numbers.at(-1)) - Number(numbers[0])).toBe(1499);
    expect(numbers.every((number) => isValidPhoneNumber(`+${number}`))).toBe(true);
  }
  expect(await verifyStockBlocks(world.env.db)).toEqual([]);
});

test('the same database gets the same numbers, and a second call continues', async () => {
  await generateNumbers(world.env, 600);
  const first = await byGroup();
  await world.env.db.deleteFrom('available_dids').execute();
  await world.env.db.deleteFrom('stock_blocks').execute();
  await generateNumbers(world.env, 600);
  expect(await byGroup()).toEqual(first);
  await generateNumbers(world.env, 600);
  expect([...(await byGroup()).values()].flat()).toHaveLength(1200);
});

test('North American numbers lie under the prefixes of their group, and what has no room goes to others', async () => {
  await generateNumbers(world.env, 36_000);
  const stock = await byGroup();
  expect(stock.get(newYork)).toHaveLength(10_000);
  expect(stock.get(newYork)?.every((number) => number.startsWith('1212220'))).toBe(true);
  expect(stock.get(london)).toHaveLength(13_000);
  const withoutPrefix = await world.env.db
    .selectFrom('available_dids')
    .select('number')
    .where('number', 'like', '1%')
    .where('nanpa_prefix_id', 'is', null)
    .execute();
  expect(withoutPrefix).toEqual([]);
});

test('named groups are filled whether pickable or not, and few numbers go to few groups', async () => {
  expect(await generateNumbers(world.env, 250, { groups: [ukMobile] })).toEqual({ numbers: 250, groups: 1 });
  expect(await generateNumbers(world.env, 150)).toEqual({ numbers: 150, groups: 1 });
  expect(await generateNumbers(world.env, 9, { leastPerGroup: 3 })).toEqual({ numbers: 9, groups: 3 });
});

test('more than there is room for is refused, and nothing stays', async () => {
  await expect(generateNumbers(world.env, 10_001, { groups: [newYork] })).rejects.toThrow(
    'There is room for 10000 more numbers in these groups, not for 10001.',
  );
  expect(await byGroup()).toEqual(new Map());
});

test('progress ends at the whole', async () => {
  const seen: number[] = [];
  await generateNumbers(world.env, 1000, { onProgress: ({ numbers }) => seen.push(numbers) });
  expect(seen.at(-1)).toBe(1000);
});

test('blocks that went wrong are found, and can be built anew', async () => {
  await generateNumbers(world.env, 300);
  await world.env.pool.query('update stock_blocks set available = available - 1 where did_group_id = $1', [london]);
  await world.env.pool.query('update stock_blocks set bits = set_bit(bits, 999, 1) where did_group_id = $1', [paris]);
  expect((await verifyStockBlocks(world.env.db)).map((block) => block.did_group_id).sort()).toEqual(
    [london, paris].sort(),
  );
  await rebuildStockBlocks(world.env.db, [london]);
  expect((await verifyStockBlocks(world.env.db)).map((block) => block.did_group_id)).toEqual([paris]);
  await rebuildStockBlocks(world.env.db);
  expect(await verifyStockBlocks(world.env.db)).toEqual([]);
  expect(await verifyStockShelves(world.env.db)).toEqual([]);
  await world.env.pool.query(
    `insert into stock_shelf_changes select left(base, -1), did_group_id, 7 from stock_blocks where did_group_id = $1`,
    [paris],
  );
  expect(await verifyStockShelves(world.env.db)).toMatchObject([{ did_group_id: paris, numbers: 100, available: 107 }]);
  await world.env.pool.query('delete from stock_shelf_changes where change = 7');
});

async function byGroup(): Promise<Map<string, string[]>> {
  const rows = await world.env.db
    .selectFrom('available_dids')
    .select(['number', 'did_group_id'])
    .orderBy('number')
    .execute();
  const groups = new Map<string, string[]>();
  for (const { number, did_group_id } of rows) groups.set(did_group_id, [...(groups.get(did_group_id) ?? []), number]);
  return groups;
}
