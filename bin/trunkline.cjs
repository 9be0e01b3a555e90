#!/usr/bin/env node
/** The `trunkline` command: src/main.ts, with a Node that can run it. */
'use strict';

require('./launch.cjs').launch('src/main.ts', process.argv.slice(2));
