/** Finding PostgreSQL's programs on this platform. */
import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findBinaries, program, restoreLinks } from './binaries.ts';

it('finds the programs of this platform', async () => {
  const binaries = await findBinaries();
  expect(binaries.version).toMatch(/^18\./);
  await expect(readFile(program(binaries, 'postgres'))).resolves.toBeInstanceOf(Buffer);
});

it('says what to do on a platform without', async () => {
  await expect(findBinaries('aix-ppc64')).rejects.toThrow(
    'There is no embedded PostgreSQL for aix-ppc64; set DATABASE_URL and SANDBOX_DATABASE_URL',
  );
  const other = process.platform === 'win32' ? 'linux-x64' : 'win32-x64';
  await expect(findBinaries(other)).rejects.toThrow(
    'is not installed. Set DATABASE_URL and SANDBOX_DATABASE_URL to a PostgreSQL of your own',
  );
});

it('makes the links that the install script would have made, and leaves those that are there', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-links-'));
  const root = path.join(folder, 'native');
  await mkdir(path.join(root, 'lib'), { recursive: true });
  await writeFile(path.join(root, 'lib/libx.so.6.1'), 'x');
  const link = (name: string) => ({ source: 'native/lib/libx.so.6.1', target: `native/lib/${name}` });
  await writeFile(path.join(root, 'pg-symlinks.json'), JSON.stringify([link('libx.so'), link('libx.so.6')]));
  await writeFile(path.join(root, 'lib/libx.so.6'), 'a copy');

  await restoreLinks(root);

  expect(await readlink(path.join(root, 'lib/libx.so'))).toBe('libx.so.6.1');
  expect(await readFile(path.join(root, 'lib/libx.so.6'), 'utf8')).toBe('a copy');
  await rm(folder, { recursive: true });
});
