/**
 * Lists of one account while it grows from ten thousand rows to a million: first page, deep page, one filter, each sort
 * key.
 */
import pg from 'pg';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import { median, medianLatency } from './load.ts';
import { fillDids, fillHistory, fillOrders } from './owned-numbers.ts';
import type { Bench, Row } from './row.ts';
import { openWorld, type Served } from './world.ts';

const small = 10_000;
const large = Number(process.env.BENCH_LIST_ROWS ?? 1_000_000);
const pageSize = 50;
const deepPage = 10_000;
const rounds = 3;
const requests = 7;

interface Call {
  name: string;
  /** Below `/v3/`, for a list of that many rows. */
  path: (rows: number) => string;
  atMost: number;
}

/** The deep page, or the last one of a list that has fewer. */
const deep = (rows: number): string => `page[number]=${Math.min(deepPage, Math.ceil(rows / pageSize))}`;

const calls: readonly Call[] = [
  ...['dids', 'orders', 'did_history'].flatMap((type): Call[] => [
    { name: `${type}, first page`, path: () => type, atMost: 2 },
    { name: `${type}, page 10,000`, path: (rows) => `${type}?${deep(rows)}`, atMost: 2 },
  ]),
  { name: 'dids, blocked ones', path: () => 'dids?filter[blocked]=false', atMost: 4 },
  { name: 'orders, completed ones', path: () => 'orders?filter[status]=completed', atMost: 4 },
  { name: 'did_history, one action', path: () => 'did_history?filter[action]=assigned', atMost: 4 },
  ...['number', 'created_at', 'expires_at', 'billing_cycles_count', 'blocked', 'awaiting_registration'].map(
    sorted('dids'),
  ),
  ...['amount', 'created_at', 'external_reference_id', 'reference', 'status'].map(sorted('orders')),
  sorted('did_history')('created_at'),
];

function sorted(type: string): (key: string) => Call {
  return (key) => ({ name: `${type}, sort=${key}`, path: () => `${type}?sort=${key}`, atMost: 4 });
}

export const lists: Bench = {
  name: 'lists',
  run: async (progress) => {
    const world = await openWorld();
    try {
      const served = new Map<number, Served>();
      for (const size of [small, large]) {
        progress(`${size.toLocaleString('en')} rows of each list`);
        const name = `lists_${size}`;
        await world.prepare(name, async (env) => {
          await loadDemoCatalogue(env);
        });
        served.set(size, await world.serve(name, { TRUNKLINE_ROLES: 'api', TRUNKLINE_LOG_LEVEL: 'warn' }));
        await fill(world.server.url(name), size);
      }
      const rows: Row[] = [];
      for (const call of calls) {
        progress(call.name);
        rows.push(await compare(call, served));
      }
      return rows;
    } finally {
      await world.close();
    }
  },
};

async function fill(url: string, size: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await fillDids(client, 'Bench', size);
    await fillOrders(client, 'Bench', size);
    await fillHistory(client, 'Bench', size);
  } finally {
    await client.end();
  }
}

async function compare({ name, path, atMost }: Call, served: ReadonlyMap<number, Served>): Promise<Row> {
  const times = new Map<number, number[]>([...served.keys()].map((size) => [size, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [size, { url, key }] of served) {
      times.get(size)?.push(await medianLatency(`${url}/v3/${path(size)}`, { 'api-key': key }, requests));
    }
  }
  const at = (size: number) => median(times.get(size) ?? []);
  return {
    measure: `${name}: ${large.toLocaleString('en')} / ${small.toLocaleString('en')} rows of one account`,
    ratio: at(large) / at(small),
    required: { atMost },
    note: `${at(large).toFixed(1)} ms and ${at(small).toFixed(1)} ms`,
  };
}
