/**
 * What one account does to the others: how long another's reads take while it attacks, against how long they take while
 * as many clients of accounts of their own keep the machine as busy.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { createAccount } from '../src/business/accounts/accounts.ts';
import { createApiKey } from '../src/business/accounts/api-keys.ts';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import { median } from './load.ts';
import { familyRanMs, postmasterOf } from './processor.ts';
import type { Bench, Row } from './row.ts';
import { openWorld, type Served } from './world.ts';

const clients = 50;
const reads = 100;
const rounds = 3;

interface Attack {
  name: string;
  start(served: Served, stock: Stock): ChildProcess;
}

interface Stock {
  /** The first is the attacker's. */
  keys: string[];
}

const attacks: Attack[] = [
  {
    name: '50 reads of one account at once',
    start: ({ url }, { keys }) => crowd(`${url}/v3/balance`, [keys[0] ?? '']),
  },
  { name: '50 requests with a wrong key at once', start: ({ url }) => crowd(`${url}/v3/balance`, ['wrong']) },
  {
    name: '50 clients of one account that read no answers',
    start: ({ url }, { keys }) => crowd(`${url}/v3/regions?page[size]=1000`, [keys[0] ?? ''], 'unread'),
  },
  {
    name: '50 lists of one account at once',
    start: ({ url }, { keys }) =>
      crowd(`${url}/v3/did_groups?page[size]=50&include=city,region,country`, [keys[0] ?? '']),
  },
];

export const fair: Bench = {
  name: 'fair',
  run: async (progress) => {
    const world = await openWorld();
    try {
      const stock: Stock = { keys: [] };
      await world.prepare('fair', async (env) => {
        await loadDemoCatalogue(env);
        for (let n = 0; n < clients + 1; n += 1) {
          const { id } = await createAccount(env, { name: `Account ${n}`, balance: '1000000' });
          stock.keys.push((await createApiKey(env, id, { name: 'bench' })).key);
        }
        await env.pool.query('vacuum analyze');
      });
      const served = await world.serve('fair', { TRUNKLINE_LOG_LEVEL: 'warn' });
      try {
        return await measure({ served, postmaster: await postmasterOf(world.server.url('fair')) }, stock, progress);
      } finally {
        await served.process.stop();
      }
    } finally {
      await world.close();
    }
  },
};

async function measure(target: Target, stock: Stock, progress: (text: string) => void): Promise<Row[]> {
  const { served } = target;
  const others = stock.keys.slice(1);
  const own = others.pop() ?? '';
  await latencies(target, own, 1);
  const pairs = new Map<string, { attacked: Latencies; busy: Latencies }[]>(attacks.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const busy = await beside(crowd(`${served.url}/v3/balance`, others), () => latencies(target, own, reads));
    progress(`as many well-behaved accounts: ${textOf(busy)}`);
    for (const { name, start } of attacks) {
      const attacked = await beside(start(served, stock), () => latencies(target, own, reads));
      pairs.get(name)?.push({ attacked, busy });
      progress(`${name}: ${textOf(attacked)}`);
    }
  }
  return [...pairs].flatMap(([name, measured]) => rowsOf(name, measured));
}

const textOf = ({ p50, p99, work }: Latencies): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, work ${work.toFixed(1)} ms; load ${load()}`;

function rowsOf(name: string, pairs: readonly { attacked: Latencies; busy: Latencies }[]): Row[] {
  const of = (part: 'attacked' | 'busy', figure: keyof Latencies) => median(pairs.map((pair) => pair[part][figure]));
  const row = (measure: string, figure: keyof Latencies, atMost: number, suffix: string): Row => ({
    measure: `${measure}: ${name} / as many well-behaved accounts`,
    ratio: median(pairs.map(({ attacked, busy }) => attacked[figure] / busy[figure])),
    required: { atMost },
    note: `${of('attacked', figure).toFixed(1)} ms and ${of('busy', figure).toFixed(1)} ms${suffix}`,
  });
  return [
    row('p50 of another account’s reads', 'p50', 1.5, ''),
    row('p99 of another account’s reads', 'p99', 3, ''),
    row(
      'processor time that goes by until another account’s read is answered, median',
      'work',
      1.5,
      ` of server and PostgreSQL; load of the machine ${load()}`,
    ),
  ];
}

interface Target {
  served: Served;
  postmaster: number;
}

interface Latencies {
  p50: number;
  p99: number;
  /**
   * What server and PostgreSQL have worked between request and answer, median: the latency without what other programs
   * of the machine do.
   */
  work: number;
}

const load = (): string => (os.loadavg()[0] ?? 0).toFixed(0);

async function latencies({ served, postmaster }: Target, key: string, count: number): Promise<Latencies> {
  const pool = new Pool(served.url, { connections: 1 });
  const times: number[] = [];
  const works: number[] = [];
  const worked = async () => (await familyRanMs(served.process.pid)) + (await familyRanMs(postmaster));
  for (let n = 0; n < count; n += 1) {
    const before = await worked();
    const began = performance.now();
    const { statusCode, body } = await pool.request({
      path: '/v3/balance',
      method: 'GET',
      headers: { 'api-key': key },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`a read was answered with ${statusCode}: ${text}`);
    times.push(performance.now() - began);
    works.push((await worked()) - before);
  }
  await pool.close();
  times.sort((one, other) => one - other);
  const at = (part: number) => times[Math.floor(part * times.length)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), work: median(works) };
}

function crowd(url: string, keys: readonly string[], manner = 'reads'): ChildProcess {
  const program = path.join(import.meta.dirname, 'servers/crowd.ts');
  return fork(program, [url, keys.join(','), String(clients), manner]);
}

async function beside<T>(child: ChildProcess, work: () => Promise<T>): Promise<T> {
  try {
    await once(child, 'message');
    return await work();
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}
