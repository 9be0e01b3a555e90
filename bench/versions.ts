/**
 * What a request in an older version costs against the same one in the newest: processor time of the server, which a
 * busy machine does not change, the versions in turns within each round.
 */

import pg from 'pg';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import { knownVersions, newestVersion } from '../src/interfaces/platform/versions/versions.ts';
import { median } from './load.ts';
import { fillDids, fillOrders } from './owned-numbers.ts';
import { processorSeconds } from './processor.ts';
import type { Bench, Row } from './row.ts';
import { openWorld, type Served } from './world.ts';

const rounds = Number(process.env.BENCH_VERSION_ROUNDS ?? 5);
const requests = Number(process.env.BENCH_VERSION_REQUESTS ?? 150);
const media = 'application/vnd.api+json';

interface Call {
  name: string;
  path: (version: string) => string;
  /** Of a change; a read has none. */
  body?: (version: string) => object;
}

const trunks = (version: string): string => (version < '2021-12-15' ? 'trunks' : 'voice_in_trunks');
const trunkOf = (version: string): string => trunks(version).slice(0, -1);

export const versions: Bench = {
  name: 'versions',
  run: async (progress) => {
    const world = await openWorld();
    try {
      await world.prepare('versions', async (env) => {
        await loadDemoCatalogue(env);
      });
      const served = await world.serve('versions', { TRUNKLINE_LOG_LEVEL: 'warn' });
      await fill(world.server.url('versions'), served);
      const [[number = ''], [trunk = '']] = [await idsOf(served, 'dids'), await idsOf(served, 'voice_in_trunks')];
      const calls: readonly Call[] = [
        { name: '50 groups', path: () => 'did_groups' },
        { name: '50 numbers', path: () => 'dids' },
        { name: '50 numbers, each with its trunk', path: (version) => `dids?include=${trunkOf(version)}` },
        { name: '50 orders', path: () => 'orders' },
        { name: '50 trunks', path: trunks },
        { name: 'one number', path: () => `dids/${number}` },
        {
          name: 'a changed trunk',
          path: (version) => `${trunks(version)}/${trunk}`,
          body: (version) => ({ data: { type: trunks(version), id: trunk, attributes: { description: 'changed' } } }),
        },
      ];
      const rows: Row[] = [];
      for (const call of calls) {
        progress(call.name);
        rows.push(...(await compare(call, served)));
      }
      return rows;
    } finally {
      await world.close();
    }
  },
};

async function fill(url: string, served: Served): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await fillDids(client, 'Bench', 1_000);
    await fillOrders(client, 'Bench', 1_000);
    await linkTrunks(client, served);
  } finally {
    await client.end();
  }
}

async function linkTrunks(client: pg.Client, served: Served): Promise<void> {
  const numbers = await idsOf(served, 'dids');
  for (const [place, id] of numbers.entries()) {
    const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9, 10] } };
    const trunk = { data: { type: 'voice_in_trunks', attributes: { name: `trunk ${place}`, configuration } } };
    const made = await send(served, newestVersion, 'voice_in_trunks', trunk, 'POST');
    const { data } = made as { data: { id: string } };
    await client.query('update dids set voice_in_trunk_id = $1 where id = $2', [data.id, id]);
  }
}

async function idsOf(served: Served, path: string): Promise<string[]> {
  const { data } = (await send(served, newestVersion, path)) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

async function send({ url, key }: Served, version: string, path: string, body?: object, method = 'PATCH') {
  const headers = { 'api-key': key, accept: media, 'x-service-api-version': version };
  const response = await fetch(`${url}/v3/${path}`, {
    ...(body ? { method, body: JSON.stringify(body) } : {}),
    headers: body ? { ...headers, 'content-type': media } : headers,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${version} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as unknown;
}

async function compare(call: Call, served: Served): Promise<Row[]> {
  const spent = new Map<string, number[]>(knownVersions.map((version) => [version, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [version, seconds] of spent) {
      const used = await costOf(call, served, version);
      // The first round is for the server to become warm.
      if (round > 0) seconds.push(used);
    }
  }
  const at = (version: string) => median(spent.get(version) ?? []);
  return knownVersions
    .filter((version) => version !== newestVersion)
    .map((version) => ({
      measure: `${call.name}: ${version} / ${newestVersion}`,
      ratio: at(version) / at(newestVersion),
      required: { atMost: 1.3 },
      note: `${((at(version) / requests) * 1000).toFixed(2)} ms and ${((at(newestVersion) / requests) * 1000).toFixed(2)} ms of processor time`,
    }));
}

async function costOf({ path, body }: Call, served: Served, version: string): Promise<number> {
  const before = (await processorSeconds(served.process.pid)) ?? 0;
  for (let sent = 0; sent < requests; sent += 1) await send(served, version, path(version), body?.(version));
  return ((await processorSeconds(served.process.pid)) ?? 0) - before;
}
