import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { loadDemoCatalogue } from './load-demo.ts';
import { verifyStockBlocks } from './stock-blocks.ts';

let test1: TestEnvironment;
beforeAll(async () => {
  test1 = await createTestEnvironment();
});
afterAll(() => test1.close());

test('loads', async () => {
  const t = performance.now();
  expect(await loadDemoCatalogue(test1.env)).toBe(true);
  console.log('load ms', performance.now() - t);
  expect(await verifyStockBlocks(test1.env.db)).toEqual([]);
});
