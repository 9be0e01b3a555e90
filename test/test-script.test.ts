/** `npm test` itself, with runners that are made up: a run in which nothing was tested must not look like a success. */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-test-script-'));
  await mkdir(path.join(folder, 'scripts'));
  await copyFile(new URL('../scripts/test.ts', import.meta.url), path.join(folder, 'scripts/test.ts'));
  for (const name of ['tsc', 'biome']) await program(`node_modules/.bin/${name}`, 'exit 0');
  for (const name of ['chromium', 'sipp', 'espeak-ng']) await program(`tools/${name}`, 'exit 0');
});
afterEach(() => rm(folder, { recursive: true }));

async function program(place: string, script: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, place)), { recursive: true });
  await writeFile(path.join(folder, place), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A test runner that writes a report with so many tests in each file, and ends with 0. */
async function runner(counts: Record<string, number>): Promise<void> {
  const testResults = Object.entries(counts).map(([file, passed]) => ({
    name: path.join(folder, file),
    status: 'passed',
    assertionResults: Array.from({ length: passed }, () => ({ status: 'passed', failureMessages: [] })),
  }));
  const numPassedTests = Object.values(counts).reduce((sum, passed) => sum + passed, 0);
  await writeFile(path.join(folder, 'report.json'), JSON.stringify({ numPassedTests, numFailedTests: 0, testResults }));
  await program(
    'node_modules/.bin/vitest',
    `for file in "$@"; do :; done
file="\${file#--outputFile.json=}"
mkdir -p "$(dirname "$file")"
cp '${path.join(folder, 'report.json')}' "$file"`,
  );
}

const files = { 'src/a.test.ts': 3, 'src/a.long.test.ts': 2, 'test/a.test.ts': 1, 'test/a.alone.test.ts': 4 };

function runTests() {
  const env = { PATH: `${path.join(folder, 'tools')}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, 'scripts/test.ts')], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

it('passes when every project has tests and all pass', async () => {
  await runner(files);
  const { status, stdout } = runTests();
  expect(stdout).toMatch(/Tests: 10 passed, 0 failed\n\nAll passed in \d+ s\.\n$/);
  expect(status).toBe(0);
});

it('fails when a project ran no test, although its runner ended with 0', async () => {
  await runner({ ...files, 'src/a.long.test.ts': 0 });
  const { status, stdout } = runTests();
  expect(stdout).toMatch(/Failed after \d+ s: long tests \(no test ran\)\.\n$/);
  expect(status).toBe(1);
});

it('says which of the checks failed, each with what it printed', async () => {
  await runner(files);
  await program('node_modules/.bin/tsc', 'case "$*" in *web*) echo "a page does not fit"; exit 2;; esac');
  const { status, stdout } = runTests();
  expect(stdout).toContain('== types of the panel\na page does not fit\n');
  expect(stdout).toMatch(/Failed after \d+ s: types of the panel\.\n$/);
  expect(status).toBe(1);
});

it('fails when the runner ends without a report', async () => {
  await program('node_modules/.bin/vitest', 'exit 0');
  const { status, stdout } = runTests();
  expect(stdout).toContain('tests (the test runner did not start, or ended without a report).');
  expect(status).toBe(1);
});

it('fails when the runner cannot be started, and says which', async () => {
  const { status, stdout, stderr } = runTests();
  expect(stderr).toMatch(/node_modules\/\.bin\/vitest cannot be run: .*ENOENT/);
  expect(stdout).toMatch(/Failed after \d+ s: tests \(the test runner did not start/);
  expect(status).toBe(1);
});
