#!/usr/bin/env node
/** The program's entry. Everything else is loaded after the compile cache is on, which halves the time of a start. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/trunkline', import.meta.url)));
const { runCommandLine } = await import('./command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
