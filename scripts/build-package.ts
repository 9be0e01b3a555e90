/**
 * Builds what `npm pack` ships (`prepack` in package.json). Node strips no types below node_modules, so `dist` holds
 * JavaScript with source maps, in the layout of the repository: programs find their SQL, JSON, audio, guides and the
 * panel's pages at the same relative paths. A clone does not need it.
 */
import { spawnSync } from 'node:child_process';
import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { digestOfBuild, sourceDigest } from '../src/panel/web-build.ts';
import { buildPanel } from '../web/build.ts';
import { bundlePackages } from './bundle-packages.ts';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

// What is in `bundles` is replaced file by file: programs of a clone use it.
for (const name of await readdir(dist).catch(() => [])) {
  if (name !== 'bundles') await rm(path.join(dist, name), { recursive: true, force: true });
}
compile();
if ((await digestOfBuild()) !== (await sourceDigest())) await buildPanel();
await copyData();
await bundlePackages();

/** Types are not checked here: `npm test` does that. */
function compile(): void {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the sources could not be compiled');
}

async function copyData(): Promise<void> {
  const names = await readdir(path.join(root, 'src'), { recursive: true, withFileTypes: true });
  const data = names.filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'));
  const files = data.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  for (const file of [...files, 'docs/guides', 'web/dist']) {
    await cp(path.join(root, file), path.join(dist, file), { recursive: true });
  }
}
