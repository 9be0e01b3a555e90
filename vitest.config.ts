import { defineConfig } from 'vitest/config';

/** `fast` is the loop: unit tests beside the code. `whole` crosses rooms: processes, browser, crash, load. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/database-server.ts'],
    projects: [
      { extends: true, test: { name: 'fast', include: ['src/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 60_000 } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
