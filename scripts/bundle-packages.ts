/**
 * Makes the files of `dist/bundles`, which bin/bundles.cjs loads instead of what the packages have. npm runs this after an install
 * (`prepare`).
 *
 * - `kysely-<version>.mjs`: Kysely's 255 modules in one file. Loading them takes half of the processor time of a command.
 * - `graphile-worker-<version>.mjs`: its module that caches the ids of tasks, with a weak map. Its own keeps the options of every
 *   worker pool that there ever was: 20 KB for each opening of a world (docs/testing.md).
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';

const bundles = path.resolve(import.meta.dirname, '../dist/bundles');
/** Not resolved by their names: in this process too those may lead to the files which are to be made. */
const packages = path.resolve(import.meta.dirname, '../node_modules');

export async function bundlePackages(): Promise<void> {
  const made = `${bundles}.${process.pid}`;
  try {
    await mkdir(made, { recursive: true });
    const names = [await bundleKysely(made), await taskIdentifiers(made)];
    await mkdir(bundles, { recursive: true });
    // Programs that start at this moment find the former file or the new one.
    for (const name of names) await rename(path.join(made, name), path.join(bundles, name));
    for (const other of await readdir(bundles)) if (!names.includes(other)) await rm(path.join(bundles, other));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function bundleKysely(folder: string): Promise<string> {
  const { source, main, name, licence } = await packageOf('kysely', 'LICENSE');
  await build({
    root: source,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: path.join(source, main),
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'node24',
      rollupOptions: { output: { entryFileNames: name, postBanner: licence } },
    },
  });
  return name;
}

async function taskIdentifiers(folder: string): Promise<string> {
  const { source, name, licence } = await packageOf('graphile-worker', 'LICENSE.md');
  const text = await readFile(path.join(source, 'dist/taskIdentifiers.js'), 'utf8');
  const weak = text.replace('const cacheByOptions = new Map();', 'const cacheByOptions = new WeakMap();');
  if (weak === text) throw new Error('graphile-worker caches the ids of tasks in another way than it did: look again');
  await writeFile(path.join(folder, name), `${licence}\n${weak.replace(/\/\/# sourceMappingURL=.*/, '')}`);
  return name;
}

/** The files are part of the package that `npm pack` makes, and their licences want to be with them. */
async function packageOf(packageName: string, licenceFile: string) {
  const source = path.join(packages, packageName);
  const manifest = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8'));
  const licence = await readFile(path.join(source, licenceFile), 'utf8');
  return { source, main: manifest.main, name: `${packageName}-${manifest.version}.mjs`, licence: `/*!\n${licence}*/` };
}

if (process.argv[1] === import.meta.filename) await bundlePackages();
