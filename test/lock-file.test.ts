/** `npm ci` refuses a lock file that lacks an optional package of any system, also of one nobody here has. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

interface LockFile {
  packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
}

it('the lock file has every optional package', async () => {
  const lock: LockFile = JSON.parse(await readFile(new URL('../package-lock.json', import.meta.url), 'utf8'));
  const missing = Object.entries(lock.packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in lock.packages) && !(`${place}/node_modules/${name}` in lock.packages),
    ),
  );
  expect(missing).toEqual([]);
});

it('the lock file names no place to download from', async () => {
  const text = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8');
  expect(text).not.toContain('"resolved": "http');
});
