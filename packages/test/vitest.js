/** A Vitest fixture: `const test = trunklineTest(baseTest)` gives every test a `world` of its own. */
import { startTrunkline } from './index.js';

/** A first start on a busy machine; a test has five seconds, and must not spend them on it. */
const startTimeoutMs = 600_000;

export const trunklineTest = (base, options) => {
  const test = base.extend({
    trunkline: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures that are used from this pattern
      async ({}, use) => {
        const trunkline = await startTrunkline(options);
        await use(trunkline);
        await trunkline.close();
      },
      { scope: 'file' },
    ],
    world: async ({ trunkline }, use) => {
      const world = await trunkline.world({ from: options?.from ?? 'demo' });
      await use(world);
      await world.end();
    },
  });
  // Since Vitest 4.1; before that the first test of a file waits for the start, and needs a longer timeout.
  // The first world of a kind makes the database that later ones are copied from.
  test.beforeAll?.(async ({ trunkline }) => {
    const first = await trunkline.world({ from: options?.from ?? 'demo' });
    await first.end();
  }, startTimeoutMs);
  return test;
};
