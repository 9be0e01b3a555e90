/**
 * Two API processes on one database next to one. On a machine with two cores they would only compete with the load
 * itself.
 */
import os from 'node:os';
import pg from 'pg';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import { compareRates, requestsPerSecond } from './load.ts';
import { fillDids } from './owned-numbers.ts';
import type { Bench, Row } from './row.ts';
import { openWorld } from './world.ts';

const neededCores = 4;
const rounds = 5;
const load = { clients: 16, seconds: 2 };
const path = '/v3/dids?include=voice_in_trunk,did_group';

export const scaleOut: Bench = {
  name: 'scale-out',
  run: async (progress) => {
    const cores = os.cpus().length;
    if (cores < neededCores) {
      progress(`skipped: ${cores} cores. Two processes, PostgreSQL and the load need at least ${neededCores}.`);
      return [];
    }
    const world = await openWorld();
    try {
      await world.prepare('scale', async (env) => {
        await loadDemoCatalogue(env);
      });
      const served = [await serve(), await serve()];
      async function serve() {
        return world.serve('scale', { TRUNKLINE_ROLES: 'api', TRUNKLINE_LOG_LEVEL: 'warn' });
      }
      const client = new pg.Client({ connectionString: world.server.url('scale') });
      await client.connect();
      await fillDids(client, 'Bench', 10_000);
      await client.end();
      /** The same load, shared by so many processes. */
      const rate = (processes: number) => async () => {
        const shares = served
          .slice(0, processes)
          .map(({ url, key }) =>
            requestsPerSecond(url + path, { ...load, clients: load.clients / processes, headers: { 'api-key': key } }),
          );
        return (await Promise.all(shares)).reduce((sum, each) => sum + each, 0);
      };
      await rate(2)();
      const rates = await compareRates(rounds, rate(2), rate(1));
      return [
        {
          measure: 'requests a second for a page of numbers: two API processes / one',
          ratio: rates.ratio,
          required: { atLeast: 1.6 },
          note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s on ${cores} cores`,
        },
      ] satisfies Row[];
    } finally {
      await world.close();
    }
  },
};
