/** The pages are built anew whenever something that they are built from has changed. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sourceFolders, webFolder } from './web-build.ts';

test('the pages import no file whose change would not build them anew', async () => {
  const names = await readdir(path.join(webFolder, 'src'), { recursive: true });
  const files = names.filter((name) => /\.tsx?$/.test(name)).map((name) => path.join(webFolder, 'src', name));
  const imported = await Promise.all(
    files.map(async (file) =>
      [...(await readFile(file, 'utf8')).matchAll(/(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g)].map(([, target = '']) =>
        path.resolve(path.dirname(file), target),
      ),
    ),
  );
  const outside = new Set(imported.flat().filter((file) => !file.startsWith(webFolder + path.sep)));
  expect(outside.size).toBeGreaterThan(0);
  const watched = (file: string) => sourceFolders.some((folder) => file.startsWith(folder + path.sep));
  expect([...outside].filter((file) => !watched(file))).toEqual([]);
});

test('what the pages import outside of their folder imports nothing else of the server', async () => {
  const folders = sourceFolders.filter((folder) => folder !== webFolder);
  expect(folders.length).toBeGreaterThan(0);
  for (const folder of folders) {
    for (const name of await readdir(folder)) {
      const text = await readFile(path.join(folder, name), 'utf8');
      expect([...text.matchAll(/\bfrom '(?!\.\/)[^']+'/g)].map(([found]) => `${name}: ${found}`)).toEqual([]);
    }
  }
});
