/** A Vitest fixture: `const test = trunklineTest(baseTest)` gives every test a `world` of its own. */
import { startTrunkline } from './index.js';

export const trunklineTest = (base, options) =>
  base.extend({
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
