#!/usr/bin/env node
/**
 * The `trunkline` command: src/main.ts, with a Node that can run it. A server gets the flag of `npm start`, which bounds the
 * memory of young objects (docs/voice.md).
 */
'use strict';

const words = process.argv.slice(2);
const isServer = words.length === 0 || words[0] === 'serve';
require('./launch.cjs').launch('src/main.ts', words, isServer ? ['--max-semi-space-size=8'] : []);
