#!/usr/bin/env -S sh -c 'exec node "$(dirname "$0")/../bin/trunkline.cjs" "$@"'
/**
 * The program's entry. Called by its own name it goes through bin/trunkline.cjs, because an old Node cannot even load
 * this file, and because that keeps what was compiled, which halves the time of a start.
 */
import { runCommandLine } from './run/command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2));
