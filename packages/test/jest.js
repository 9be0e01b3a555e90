/** For Jest: starts Trunkline before the tests of a file and gives every test a world. Call it at the top of the file. */
import { startTrunkline } from './index.js';

export function useTrunkline({ beforeAll, afterAll, beforeEach, afterEach }, options) {
  const current = {};
  beforeAll(async () => {
    current.trunkline = await startTrunkline(options);
  }, 120_000);
  afterAll(() => current.trunkline?.close());
  beforeEach(async () => {
    current.world = await current.trunkline.world({ from: options?.from ?? 'demo' });
  });
  afterEach(() => current.world?.end());
  return current;
}
