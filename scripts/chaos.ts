/**
 * `npm run chaos -- [--rounds 1000]`: kills and faults under load, far more often than the suite has time for, in parts
 * of a few rounds with seeds of their own. It ends at the first promise that is broken; vitest says which.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** What a part runs, and how many rounds of it: the more often the cheaper a round is. */
const drills = [
  { file: 'test/crash.test.ts', variable: 'CRASH_ROUNDS', rounds: 20 },
  { file: 'test/database-faults.test.ts', variable: 'FAULT_ROUNDS', rounds: 10 },
  { file: 'test/ha/failover.test.ts', variable: 'FAILOVER_ROUNDS', rounds: 5 },
];
const ofPart = drills.reduce((sum, { rounds }) => sum + rounds, 0);
const longestMs = 3_600_000;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } });
const wanted = Number(values.rounds);
if (!(Number.isInteger(wanted) && wanted > 0)) {
  process.stderr.write('usage: npm run chaos -- [--rounds <a positive number>]\n');
  process.exit(2);
}
const root = path.resolve(import.meta.dirname, '..');
let done = 0;
while (done < wanted && process.exitCode === undefined) {
  const { status } = spawnSync(
    path.join(root, 'node_modules/.bin/vitest'),
    ['run', '--project', 'whole', '--testTimeout', String(longestMs), ...drills.map(({ file }) => file)],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...Object.fromEntries(drills.map(({ variable, rounds }) => [variable, String(rounds)])) },
    },
  );
  if (status === 0) done += ofPart;
  else process.exitCode = status ?? 1;
  process.stdout.write(`${done} of ${wanted} rounds lost nothing.\n`);
}
