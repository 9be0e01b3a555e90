#!/usr/bin/env node
/** The `trunkline` command: of a clone its sources, of the package what scripts/build-package.ts has made of them. */
'use strict';

const { existsSync } = require('node:fs');
const path = require('node:path');

const isClone = existsSync(path.join(__dirname, '../src'));
require('./launch.cjs').launch(isClone ? 'src/main.ts' : 'dist/program/main.mjs', process.argv.slice(2));
