#!/usr/bin/env node
/** The `trunkline` command: src/main.ts, with a Node that can run it. */
'use strict';

const { serverFlags } = require('./server-flags.cjs');

const words = process.argv.slice(2);
const isServer = words.length === 0 || words[0] === 'serve';
require('./launch.cjs').launch('src/main.ts', words, isServer ? serverFlags : []);
