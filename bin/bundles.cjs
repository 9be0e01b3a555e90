/**
 * Lets a program of this repository load packages that consist of very many modules from one file each, where an install has made it
 * (scripts/bundle-kysely.ts). Without the file, or with one of another version, the package itself is loaded.
 */
'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const file = bundleOf('kysely');
if (registerHooks && file !== null) {
  const url = pathToFileURL(file).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'kysely' ? { url, format: 'module', shortCircuit: true } : next(specifier, context),
  });
}

function bundleOf(name) {
  const folder = path.join(__dirname, '../dist/bundles');
  if (!existsSync(folder)) return null;
  try {
    const manifest = path.join(path.dirname(require.resolve(name)), '../package.json');
    const bundle = path.join(folder, `${name}-${JSON.parse(readFileSync(manifest, 'utf8')).version}.mjs`);
    return existsSync(bundle) ? bundle : null;
  } catch {
    return null;
  }
}
