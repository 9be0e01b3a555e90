/**
 * Lets a program of this repository load the files that an install has made of some packages (scripts/bundle-packages.ts) instead of
 * these. Without the files, or if one of the packages has another version by now, the packages themselves are loaded.
 */
'use strict';

const { existsSync, readFileSync, statSync } = require('node:fs');
const { registerHooks } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const folder = path.join(__dirname, '../dist/bundles');
/** Where the packages lie: of a clone, and of an installed package. */
const places = [path.join(__dirname, '../node_modules'), path.join(__dirname, '../..')];

const root = `${pathToFileURL(path.join(__dirname, '..')).href}/`;
const urls = registerHooks ? bundledUrls() : new Map();
if (urls.size > 0) {
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = urls.get(specifier);
      return url !== undefined && isOurs(context.parentURL || '')
        ? { url, format: 'module', shortCircuit: true }
        : next(specifier, context);
    },
  });
}

/** A package that uses one of the others uses that one's own files. */
function isOurs(parent) {
  return parent.startsWith(root) && !parent.startsWith('node_modules/', root.length);
}

function bundledUrls() {
  try {
    const index = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8'));
    if (!isAsInstalled(index)) return new Map();
    const urlOf = (file) => pathToFileURL(path.join(folder, index.folder, file)).href;
    return new Map(Object.entries(index.files).map(([specifier, file]) => [specifier, urlOf(file)]));
  } catch {
    return new Map();
  }
}

/** npm writes its own list of what it has installed each time; if that is the same one, nothing else needs to be read. */
function isAsInstalled({ installed, versions }) {
  const list = statSync(path.join(places[0], '.package-lock.json'), { throwIfNoEntry: false });
  if (list !== undefined && list.mtimeMs === installed) return true;
  return Object.entries(versions).every(([name, version]) => versionOf(name) === version);
}

function versionOf(name) {
  const file = places.map((place) => path.join(place, name, 'package.json')).find((each) => existsSync(each));
  return file === undefined ? null : JSON.parse(readFileSync(file, 'utf8')).version;
}
