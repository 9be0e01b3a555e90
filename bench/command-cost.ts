/** How much processor time a command of the command line needs, from its start to its end. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Row } from './row.ts';

const run = promisify(execFile);
const program = path.resolve(import.meta.dirname, '../bin/trunkline.cjs');
const mostMs = 400;
const rounds = 7;
/** Written to standard error when the process ends. */
const tellUsage = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write(String(user+system))})`;

/** `data` is the folder of a server that runs. The least of several: other programs only ever add to it. */
export async function commandCost(data: string): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const words = ['--import', tellUsage, program, 'account', 'list', '--env', 'sandbox'];
    const { stderr } = await run(process.execPath, words, { env: { ...process.env, TRUNKLINE_DATA: data } });
    times.push(Number(stderr) / 1000);
  }
  const least = Math.min(...times);
  return {
    measure: `a command that lists accounts: ms of processor time / ${mostMs}`,
    ratio: least / mostMs,
    required: { atMost: 1 },
    note: `${least.toFixed(0)} ms`,
  };
}
