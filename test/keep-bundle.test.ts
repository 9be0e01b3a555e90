/** Files that an install makes are replaced while programs run from them. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepBundle } from '../scripts/keep-bundle.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-bundle-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the folder that programs use from now on. */
async function keep(text: string): Promise<string> {
  const made = path.join(folder, 'made');
  await rm(made, { recursive: true, force: true });
  await mkdir(made);
  await writeFile(path.join(made, 'main.mjs'), text);
  const place = path.join(folder, 'place');
  await keepBundle(place, made, { files: { main: 'main.mjs' } });
  const index = JSON.parse(await readFile(path.join(place, 'index.json'), 'utf8'));
  expect(index.files).toEqual({ main: 'main.mjs' });
  expect(await readFile(path.join(place, index.folder, 'main.mjs'), 'utf8')).toBe(text);
  return path.join(place, index.folder);
}

it('the same files are left alone, the former ones stay for those that run, older ones go', async () => {
  const first = await keep('one');
  const { ino } = await stat(path.join(first, 'main.mjs'));
  expect(await keep('one')).toBe(first);
  expect((await stat(path.join(first, 'main.mjs'))).ino).toBe(ino);
  const second = await keep('two');
  expect(await readdir(first)).toEqual(['main.mjs']);
  const third = await keep('three');
  expect((await readdir(path.join(folder, 'place'))).sort()).toEqual(
    [path.basename(second), path.basename(third), 'index.json'].sort(),
  );
});

it('files that were damaged are put right', async () => {
  const first = await keep('four');
  await rm(path.join(first, 'main.mjs'));
  expect(await keep('four')).toBe(first);
});
