import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Node keeps what it has compiled, of tests as of the program (bin/launch.cjs): the next run imports in half the time.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/trunkline');

/** What takes too long for the suite, and tells by a variable how much of it is wanted. */
const drills = process.env.PATRONI_ROUNDS === undefined ? [] : ['test/**/*.drill.ts'];

/** For tests that start processes. */
const patient = { testTimeout: 300_000, hookTimeout: 300_000 };

/** Small files come last, so that every core has work until nearly the end; vitest has those first that took longest. */
const order = ['whole', 'long', 'fast', 'alone'];
class SmallOnesLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => order.indexOf(project.name);
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

/**
 * `fast` is the loop: tests beside the code, under a minute together. `long` is the same with tests that take seconds
 * each (`*.long.test.ts`). `whole` crosses rooms: processes, browser, SIP, kills. `alone` are the few of them that need
 * the machine for themselves, one after another, because they say how a server under load shares its time
 * (`*.alone.test.ts`).
 */
export default defineConfig({
  test: {
    // What a test waits for comes soon, but on a busy machine not within the second that is the default. Only a failure
    // takes as long.
    expect: { poll: { timeout: 60_000 } },
    // TypeScript runs as written, in tests as in the program: nothing is transformed, and nothing is mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/database-server.ts'],
    setupFiles: ['test/support/no-faults.ts', 'test/support/cheap-passwords.ts'],
    // Tests wait for PostgreSQL, processes and calls half of their time, so there is work for one more than cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SmallOnesLast },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['src/**/*.test.ts'],
          exclude: ['src/**/*.long.test.ts'],
          // What modules remember belongs to one pool or environment, so files may share them: importing is half of a
          // small test's time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['src/**/*.long.test.ts'],
          // As in `fast`; every file would import all rooms once more.
          isolate: false,
          // Spoken codes take their time and wait side by side.
          maxConcurrency: 20,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts', ...drills],
          exclude: ['test/**/*.alone.test.ts'],
          // As in `fast`.
          isolate: false,
          ...patient,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ['test/**/*.alone.test.ts'], ...patient, fileParallelism: false },
      },
    ],
  },
});
