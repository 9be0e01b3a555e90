/** What the JSON:API engine costs, next to a bare handler with the same SQL and the same document. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import { compareRates, requestsPerSecond } from './load.ts';
import type { Bench, Row } from './row.ts';
import { requireSameDocument } from './same-document.ts';
import { openWorld } from './world.ts';

const calls = {
  'available_dids, page of 50, include=did_group': '/v3/available_dids?include=did_group',
  'did_groups, page of 50, three includes': '/v3/did_groups?include=country,did_group_type,stock_keeping_units',
};

export const engine: Bench = {
  name: 'engine',
  run: async () => {
    const world = await openWorld();
    let peer: ChildProcess | null = null;
    try {
      await world.prepare('engine', async (env) => {
        await loadDemoCatalogue(env);
        await env.pool.query('vacuum analyze');
      });
      const ours = await world.serve('engine', { TRUNKLINE_ROLES: 'api' });
      const bare = await startBare(world.server.url('engine'));
      peer = bare.child;
      const rows: Row[] = [];
      for (const [measure, call] of Object.entries(calls)) {
        await requireSameDocument(ours.url + call, bare.url + call, ours.key);
        const load = { clients: 8, seconds: 1.5, headers: { 'api-key': ours.key } };
        const rates = await compareRates(
          5,
          () => requestsPerSecond(ours.url + call, load),
          () => requestsPerSecond(bare.url + call, load),
        );
        rows.push({
          measure: `${measure}: Trunkline / bare Fastify`,
          ratio: rates.ratio,
          required: { atLeast: 0.6 },
          note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s`,
        });
      }
      return rows;
    } finally {
      peer?.kill();
      await world.close();
    }
  },
};

async function startBare(databaseUrl: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'servers/bare.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), child };
}
