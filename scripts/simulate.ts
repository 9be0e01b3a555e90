/**
 * `npm run simulate -- [--seed N] [--minutes M | --years Y] [--old-faults] [--watch]`: a simulation of the whole in
 * virtual time (docs/simulation.md). One seed is one run, event by event. With `--old-faults` faults that were mended
 * once are brought back, one after another, and each must be found.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedServer } from '../src/engines/db/embedded.ts';
import { migrate } from '../src/engines/db/migrate.ts';
import { createPool } from '../src/engines/db/pool.ts';
import { oldFaults } from '../test/simulation/old-faults.ts';
import { type Run, runSimulation } from '../test/simulation/run-simulation.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    years: { type: 'string' },
    'old-faults': { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
  },
});
const yearMinutes = 365.25 * 24 * 60;
const seed = Number(values.seed);
const minutes = values.years === undefined ? Number(values.minutes ?? 10) : Number(values.years) * yearMinutes;
if (!(Number.isInteger(seed) && seed > 0 && minutes > 0)) {
  process.stderr.write(
    'usage: npm run simulate -- [--seed <a positive number>] [--minutes M | --years Y] [--old-faults] [--watch]\n',
  );
  process.exit(2);
}

const template = 'trunkline_template';
/** An old fault that so many seeds do not find is not found. */
const mostSeeds = 20;
const say = (text: string) => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-simulation-'));
const server = await openEmbeddedServer({ dataDirectory: folder, durable: false });
try {
  await server.createDatabase(template);
  const pool = createPool(server.url(template), { max: 1 });
  await migrate(pool);
  await pool.end();
  if (values['old-faults']) await findAll();
  else await simulateOnce();
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}

function run(more: Pick<Run, 'seed'> & Partial<Run>) {
  const place = { server: server.url('postgres'), template };
  return runSimulation({ ...place, minutes, oldFault: null, isWatched: values.watch, ...more });
}

async function simulateOnce(): Promise<void> {
  const { fault, ...outcome } = await run({ seed });
  say(JSON.stringify(outcome));
  if (fault === null) return;
  say(`\n${fault.lastEvents.join('\n')}\n\nBROKEN: ${fault.promise}\n${fault.details}`);
  process.exitCode = 1;
}

async function findAll(): Promise<void> {
  for (const { name, about, ...known } of oldFaults) {
    say(`${name}: ${about}`);
    let found = false;
    for (let tried = 0; tried < mostSeeds && !found; tried++) {
      const began = performance.now();
      const { fault, ...outcome } = await run({ seed: tried === 0 ? known.seed : tried, oldFault: name });
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      const after = `seed ${outcome.seed}, ${outcome.virtualSeconds} simulated seconds, ${seconds} s`;
      say(`  ${after}: ${fault === null ? 'not found' : `found: ${fault.promise}`}`);
      found = fault?.promise === known.promise;
    }
    if (!found) process.exitCode = 1;
  }
}
