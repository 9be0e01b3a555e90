/**
 * Whether the panel's pages are built, and from which sources. `npm ci` builds them (`prepare` in package.json); where
 * its scripts did not run, or the sources have changed since, the first start builds them beside its other work, in a
 * process of its own.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../../..');
export const webFolder = path.join(root, 'web');
export const distFolder = path.join(webFolder, 'dist');
/** All that the pages are built from, but for packages. */
export const sourceFolders = [webFolder, path.join(import.meta.dirname, 'pages')];

/** Changes with everything that the pages are built from. Throws if there are no sources. */
export async function sourceDigest(): Promise<string> {
  const entries = sourceFolders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true }));
  const names = (await Promise.all(entries))
    .flat()
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !path.relative(webFolder, file).startsWith('dist'))
    .sort();
  const digest = createHash('sha256');
  for (const file of [...names, path.join(root, 'package-lock.json')]) {
    digest.update(path.relative(root, file)).update(await readFile(file));
  }
  return digest.digest('hex');
}

/** The digest of the sources that `dist` was built from; null if there is no `dist`. */
export function digestOfBuild(): Promise<string | null> {
  return readFile(path.join(distFolder, 'built-from'), 'utf8').catch(() => null);
}

/** Resolves when `dist` is up to date. Throws if it cannot be built and there is none. */
export async function ensureBuilt(): Promise<void> {
  const builtFrom = await digestOfBuild();
  // An image may hold only what was built.
  const wanted = await sourceDigest().catch(() => null);
  if (builtFrom !== null && (wanted === null || wanted === builtFrom)) return;
  const code = await build();
  if (code !== 0 && builtFrom === null) throw new Error('the pages of the panel could not be built');
}

async function build(): Promise<number> {
  const child = spawn(process.execPath, [path.join(webFolder, 'build.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: root,
  });
  // A server that stops does not wait for it.
  child.unref();
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}
