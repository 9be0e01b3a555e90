/** How much processor time a command of the command line needs, from its start to its end. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Row } from './row.ts';

const run = promisify(execFile);
const mostMs = 400;
const rounds = 7;
/** Written to standard error when the process ends. */
const tellUsage = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write(String(user+system))})`;

/**
 * `command` is how the program is called, `data` the folder of a server that runs. The least of several: other programs
 * only ever add to it.
 */
export async function commandCost(command: readonly string[], data: string): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [program = '', ...words] = [...command, 'account', 'list', '--env', 'sandbox'];
    const env = { ...process.env, TRUNKLINE_DATA: data, NODE_OPTIONS: `--import=${tellUsage}` };
    const { stderr } = await run(program, words, { env });
    times.push(Number(stderr) / 1000);
  }
  const least = Math.min(...times);
  return {
    measure: `package, a command that lists accounts: ms of processor time / ${mostMs}`,
    ratio: least / mostMs,
    required: { atMost: 1 },
    note: `${least.toFixed(0)} ms`,
  };
}
