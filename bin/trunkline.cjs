#!/usr/bin/env node
/**
 * The `trunkline` command: src/main.ts, with a Node that can run it. A server gets the flags of `npm start`, which bound its
 * memory (docs/performance.md).
 */
'use strict';

const words = process.argv.slice(2);
const serverFlags = ['--max-semi-space-size=8', '--v8-pool-size=2'];
const isServer = words.length === 0 || words[0] === 'serve';
require('./launch.cjs').launch('src/main.ts', words, isServer ? serverFlags : []);
