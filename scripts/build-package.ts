/**
 * Builds what `npm pack` ships (`prepack` in package.json): `dist` holds the program and its packages as few files, and the data that
 * they read, in the layout of the repository: programs find SQL, JSON, audio, guides and the panel's pages at the same relative paths.
 * A clone does not need it.
 */
import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { digestOfBuild, sourceDigest } from '../src/panel/web-build.ts';
import { buildPanel } from '../web/build.ts';
import { bundlePackages } from './bundle-packages.ts';
import { bundleProgram } from './bundle-program.ts';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

// What is in these is replaced file by file: programs of a clone use it.
const used = ['bundles', 'program'];
for (const name of await readdir(dist).catch(() => [])) {
  if (!used.includes(name)) await rm(path.join(dist, name), { recursive: true, force: true });
}
if ((await digestOfBuild()) !== (await sourceDigest())) await buildPanel();
await copyData();
await bundlePackages();
await bundleProgram();

async function copyData(): Promise<void> {
  const names = await readdir(path.join(root, 'src'), { recursive: true, withFileTypes: true });
  const data = names.filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'));
  const files = data.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  for (const file of [...files, 'docs/guides', 'web/dist']) {
    await cp(path.join(root, file), path.join(dist, file), { recursive: true });
  }
}
