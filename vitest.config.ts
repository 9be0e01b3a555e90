import { defineConfig } from 'vitest/config';

/** `fast` is the loop: unit tests beside the code. `whole` crosses rooms: processes, browser, crash, load. */
export default defineConfig({
  test: {
    // What a test waits for comes soon, but not on every machine within the second that is the default.
    expect: { poll: { timeout: 10_000 } },
    globalSetup: ['test/support/database-server.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['src/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 60_000 },
      },
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
