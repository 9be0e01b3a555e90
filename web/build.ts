/**
 * Builds the panel's pages into `web/dist`: hashed files, each also compressed, and the digest of what they were built
 * from. The folder is complete or not there: it is built under another name and renamed.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { sourceDigest, webFolder } from '../src/interfaces/panel/web-build.ts';

const compressible = /\.(html|js|css|svg|json)$/;

export async function buildPanel(): Promise<void> {
  const digest = await sourceDigest();
  // Whatever the shell says: pages built for development are larger and slower, and name the folders of this machine.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const made = path.join(webFolder, `dist.${process.pid}`);
  try {
    await build({
      root: webFolder,
      // Relative: the server writes the path under which it is reached into the page.
      base: './',
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: made,
        emptyOutDir: true,
        target: 'es2022',
        sourcemap: false,
        // The licences of what is in the files ask to go with it.
        license: { fileName: 'licences.md' },
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 1_000,
      },
    });
    for (const name of await readdir(made, { recursive: true })) {
      if (!compressible.test(name)) continue;
      const plain = await readFile(path.join(made, name));
      await writeFile(path.join(made, `${name}.gz`), await promisify(gzip)(plain, { level: 9 }));
      await writeFile(path.join(made, `${name}.br`), await promisify(brotliCompress)(plain));
    }
    await writeFile(path.join(made, 'built-from'), digest);
    await mkdir(webFolder, { recursive: true });
    await rm(path.join(webFolder, 'dist'), { recursive: true, force: true });
    await rename(made, path.join(webFolder, 'dist'));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  if (isViteInstalled()) await buildPanel();
  else {
    process.stderr.write('The panel is not built: its packages were left out of this install.\n');
    process.exitCode = 1;
  }
}

/** `npm ci --omit=dev` leaves it out, which is not an error of the install (`prepare` in package.json). */
function isViteInstalled(): boolean {
  try {
    return import.meta.resolve('vite') !== '';
  } catch {
    return false;
  }
}
