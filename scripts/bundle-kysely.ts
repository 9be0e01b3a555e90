/**
 * Puts Kysely's 255 modules into one file, `dist/bundles/kysely-<version>.mjs`: loading them takes half of the processor time of a
 * command. bin/bundles.cjs uses the file if it is there. npm runs this after an install (`prepare`).
 */
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';

const bundles = path.resolve(import.meta.dirname, '../dist/bundles');
/** Not resolved by its name: in this process too that may lead to the file which is to be made. */
const source = path.resolve(import.meta.dirname, '../node_modules/kysely');

export async function bundleKysely(): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8'));
  // The file is part of the package that `npm pack` makes, and its licence wants to be with it.
  const licence = await readFile(path.join(source, 'LICENSE'), 'utf8');
  const made = `${bundles}.${process.pid}`;
  const name = `kysely-${manifest.version}.mjs`;
  try {
    await build({
      root: source,
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: path.join(source, manifest.main),
        outDir: made,
        minify: false,
        target: 'node24',
        rollupOptions: { output: { entryFileNames: name, postBanner: `/*!\n${licence}*/` } },
      },
    });
    await mkdir(bundles, { recursive: true });
    // Programs that start at this moment find the former file or the new one.
    await rename(path.join(made, name), path.join(bundles, name));
    for (const other of await readdir(bundles)) if (other !== name) await rm(path.join(bundles, other));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) await bundleKysely();
