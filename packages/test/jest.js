/**
 * For Jest: starts Trunkline before the tests of a file and gives every test a world. Call it at the top of the file.
 */
import { startTrunkline } from './index.js';

/** Jest gives a hook five seconds, which is little for a server that starts or stops on a busy machine. */
const timeouts = { server: 600_000, world: 120_000 };

export function useTrunkline({ beforeAll, afterAll, beforeEach, afterEach }, options) {
  const current = {};
  beforeAll(async () => {
    current.trunkline = await startTrunkline(options);
  }, timeouts.server);
  afterAll(() => current.trunkline?.close(), timeouts.server);
  beforeEach(async () => {
    current.world = await current.trunkline.world({ from: options?.from ?? 'demo' });
  }, timeouts.world);
  afterEach(() => current.world?.end(), timeouts.world);
  return current;
}
