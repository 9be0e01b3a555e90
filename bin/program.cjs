/**
 * The file that a program of this repository is run from: its source, or what an install has made of all sources
 * (scripts/bundle-program.ts) if none of them has changed since. The package has no sources.
 */
'use strict';

const { existsSync, readFileSync, statSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const folder = path.join(root, 'dist/program');

/** `file` is given from the root of the repository. */
function programFile(file) {
  const source = path.join(root, file);
  const index = readIndex();
  if (index === null || !index.files[file]) return source;
  return existsSync(source) && !isOf(index.sources) ? source : path.join(folder, index.folder, index.files[file]);
}

function readIndex() {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8'));
  } catch (_missing) {
    return null;
  }
}

function isOf(sources) {
  return Object.keys(sources).every((name) => {
    const found = statSync(path.join(root, name), { throwIfNoEntry: false });
    return found !== undefined && found.size === sources[name][0] && found.mtimeMs === sources[name][1];
  });
}

module.exports = { programFile };
