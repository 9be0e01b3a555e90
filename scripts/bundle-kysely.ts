/**
 * Puts Kysely's 255 modules into one file, `dist/bundles/kysely-<version>.mjs`: loading them takes half of the processor time of a
 * command. bin/bundles.cjs uses the file if it is there. npm runs this after an install (`prepare`).
 */
import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const bundles = path.resolve(import.meta.dirname, '../dist/bundles');

export async function bundleKysely(): Promise<void> {
  const entry = fileURLToPath(import.meta.resolve('kysely'));
  const manifest = JSON.parse(await readFile(path.resolve(entry, '../../package.json'), 'utf8'));
  // The file is part of the package that `npm pack` makes, and its licence wants to be with it.
  const licence = await readFile(path.resolve(entry, '../../LICENSE'), 'utf8');
  const made = `${bundles}.${process.pid}`;
  const name = `kysely-${manifest.version}.mjs`;
  try {
    await build({
      root: path.dirname(entry),
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: entry,
        outDir: made,
        minify: false,
        target: 'node24',
        rollupOptions: { output: { entryFileNames: name, postBanner: `/*!\n${licence}*/` } },
      },
    });
    await rm(bundles, { recursive: true, force: true });
    await rename(made, bundles);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) await bundleKysely();
