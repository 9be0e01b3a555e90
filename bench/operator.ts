/**
 * How long each look-up of /operator/v1 takes with 10,000 accounts, 1 M numbers and 10 M CDRs, and what its indexes
 * cost.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import type { Environment } from '../src/engines/environment.ts';
import { byBootstrap } from '../src/interfaces/operator/act.ts';
import { createOperator, createOperatorKey } from '../src/interfaces/operator/operators.writes.ts';
import { median, medianLatency } from './load.ts';
import { fillCarrier, type Sizes } from './operator/fill.ts';
import { costOfIndexes } from './operator/index-cost.ts';
import { type LookUp, lookUps } from './operator/look-ups.ts';
import { readSamples } from './operator/samples.ts';
import type { Bench, Row } from './row.ts';
import { openWorld } from './world.ts';

/** `BENCH_OPERATOR_SCALE=0.01` fills a hundredth of it, for work on the bench itself. */
const scale = Number(process.env.BENCH_OPERATOR_SCALE ?? 1);
const sizes: Sizes = {
  accounts: 10_000 * Math.min(1, scale * 10),
  numbers: 1_000_000 * scale,
  calls: 10_000_000 * scale,
};
/**
 * `BENCH_OPERATOR_KEEP=FOLDER` keeps the filled database there and uses it again: filling it takes longer than
 * measuring.
 */
const keptIn = process.env.BENCH_OPERATOR_KEEP;
const rounds = 3;
const requests = 5;
const longestMs = 100;

interface Timed extends LookUp {
  milliseconds: number;
}

export const operator: Bench = {
  name: 'operator',
  run: async (progress) => {
    const world = await openWorld(keptIn);
    const client = new pg.Client({ connectionString: world.server.url('carrier') });
    try {
      let key = '';
      await world.prepare('carrier', async (env) => {
        if (!(await isFilled(env))) {
          await loadDemoCatalogue(env);
          await fillCarrier(env, sizes, progress);
        }
        const email = `bench-${randomUUID()}@operator.test`;
        const id = await createOperator(byBootstrap(env), { email, role: 'owner' });
        ({ key } = await createOperatorKey(byBootstrap(env), id, { name: 'bench' }));
      });
      await client.connect();
      const samples = await readSamples(client);
      const { url } = await world.serve('carrier', { TRUNKLINE_ROLES: 'api', TRUNKLINE_REQUEST_LOG_DAYS: '0' });
      progress('measuring');
      const point = await pointSelect(client, samples.largest);
      const timed: Timed[] = [];
      for (const lookUp of lookUps(samples)) {
        const at = `${url}/operator/v1/${lookUp.path}`;
        const times: number[] = [];
        for (let round = 0; round < rounds; round += 1)
          times.push(await medianLatency(at, { 'api-key': key }, requests));
        timed.push({ ...lookUp, milliseconds: median(times) });
      }
      return [...rowsOf(timed, point), await costOfIndexes(client)];
    } finally {
      await client.end();
      await world.close();
    }
  },
};

async function isFilled({ pool }: Environment): Promise<boolean> {
  return (await pool.query('select from operators limit 1')).rows.length > 0;
}

/** One row for each type or route: its slowest look-up. */
function rowsOf(timed: readonly Timed[], point: number): Row[] {
  const subjects = Map.groupBy(timed, ({ subject }) => subject);
  return [...subjects].map(([subject, all]) => {
    const [slowest, ...others] = all.toSorted((left, right) => right.milliseconds - left.milliseconds);
    const milliseconds = slowest?.milliseconds ?? Number.NaN;
    const next = others.slice(0, 2).map((each) => `${each.by} ${each.milliseconds.toFixed(1)} ms`);
    return {
      measure: `${subject}, the slowest of ${all.length} look-ups with ${sizes.calls / 1_000_000} M CDRs: ms / ${longestMs}`,
      ratio: milliseconds / longestMs,
      required: { atMost: 1 },
      note: [
        `${slowest?.by} ${milliseconds.toFixed(1)} ms, ${(milliseconds / point).toFixed(0)} times an indexed point select (${point.toFixed(2)} ms)`,
        ...next,
      ].join('; '),
    };
  });
}

/** Milliseconds of one row by its primary key, asked in the same way as everything else here: one at a time. */
async function pointSelect(client: pg.Client, accountId: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    const started = performance.now();
    await client.query({ name: 'point', text: 'select * from accounts where id = $1', values: [accountId] });
    times.push(performance.now() - started);
  }
  return median(times);
}
