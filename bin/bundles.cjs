/**
 * Lets a program of this repository load the files that an install has made instead of what some packages have
 * (scripts/bundle-packages.ts). Without such a file, or with one of another version, the package itself is loaded.
 */
'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const folder = path.join(__dirname, '../dist/bundles');
const kysely = bundleOf('kysely');
const taskIdentifiers = bundleOf('graphile-worker');

if (registerHooks && (kysely || taskIdentifiers)) {
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = replacementOf(specifier, context.parentURL || '');
      return url ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
    },
  });
}

function replacementOf(specifier, parent) {
  if (specifier === 'kysely') return kysely;
  const isTaskIdentifiers = /^\.\.?\/taskIdentifiers\.js$/.test(specifier) && parent.includes('/graphile-worker/');
  return isTaskIdentifiers ? taskIdentifiers : null;
}

function bundleOf(name) {
  if (!existsSync(folder)) return null;
  try {
    const manifest = path.join(path.dirname(require.resolve(name)), '../package.json');
    const bundle = path.join(folder, `${name}-${JSON.parse(readFileSync(manifest, 'utf8')).version}.mjs`);
    return existsSync(bundle) ? pathToFileURL(bundle).href : null;
  } catch {
    return null;
  }
}
