/**
 * What a request costs next to the least that the machine needs for it: the same bytes from memory, or a bare handler
 * with the fewest statements an ideal schema allows.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import pg from 'pg';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import { withDefaults } from '../src/engines/jsonapi/parse-object.ts';
import { sipConfiguration } from '../src/interfaces/platform/inbound-trunks/sip-configuration.ts';
import { compareRates, requestsPerSecond } from './load.ts';
import { fillDids } from './owned-numbers.ts';
import { processorSeconds } from './processor.ts';
import type { Bench, Row } from './row.ts';
import { requireSameDocument } from './same-document.ts';
import { openWorld, type Served } from './world.ts';

const rounds = 9;
const load = { clients: 8, seconds: 0.5 };

interface Call {
  name: string;
  path: string;
  peer: 'bytes from memory' | 'bare, least SQL';
  atLeast: number;
}

const calls: readonly Call[] = [
  { name: 'balance', path: '/v3/balance', peer: 'bare, least SQL', atLeast: 0.6 },
  { name: 'countries', path: '/v3/countries', peer: 'bytes from memory', atLeast: 0.5 },
  { name: 'regions', path: '/v3/regions', peer: 'bytes from memory', atLeast: 0.5 },
  { name: 'cities, page of 50', path: '/v3/cities', peer: 'bytes from memory', atLeast: 0.4 },
  {
    name: 'did_groups, three includes',
    path: '/v3/did_groups?include=country,did_group_type,stock_keeping_units',
    peer: 'bare, least SQL',
    atLeast: 1.2,
  },
  {
    name: 'available_dids, include=did_group',
    path: '/v3/available_dids?include=did_group',
    peer: 'bare, least SQL',
    atLeast: 0.8,
  },
  {
    name: 'dids, page of 50 of 10,000, two includes',
    path: '/v3/dids?include=voice_in_trunk,did_group',
    peer: 'bare, least SQL',
    atLeast: 0.8,
  },
];

export const wire: Bench = {
  name: 'wire',
  run: async (progress) => {
    const world = await openWorld();
    let peer: ChildProcess | null = null;
    try {
      await world.prepare('wire', async (env) => {
        await loadDemoCatalogue(env);
      });
      // A line of log per request is no part of what is compared.
      const ours = await world.serve('wire', { TRUNKLINE_ROLES: 'api', TRUNKLINE_LOG_LEVEL: 'warn' });
      const account = await makeIdealSchema(world.server.url('wire'));
      const least = await startPeer(world.server.url('wire'), account);
      peer = least.child;
      const rows: Row[] = [];
      for (const call of calls) {
        progress(call.name);
        rows.push(await compare(call, ours, least));
      }
      return rows;
    } finally {
      peer?.kill();
      await world.close();
    }
  },
};

async function compare(call: Call, ours: Served, least: Peer): Promise<Row> {
  const url = ours.url + call.path;
  const headers = { 'api-key': ours.key };
  let other = least.url + call.path;
  if (call.peer === 'bytes from memory') {
    other = `${least.url}/bytes${call.path}`;
    const body = await (await fetch(url, { headers })).text();
    await fetch(other, { method: 'PUT', body, headers: { 'content-type': 'application/vnd.api+json' } });
  } else await requireSameDocument(url, other, ours.key);
  const left = measured(url, headers, ours.process.pid);
  const right = measured(other, headers, least.child.pid ?? 0);
  // Both once before, for compiled code and open connections.
  await left.rate();
  await right.rate();
  const rates = await compareRates(rounds, left.rate, right.rate);
  return {
    measure: `${call.name}: Trunkline / ${call.peer}`,
    ratio: rates.ratio,
    required: { atLeast: call.atLeast },
    note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s; processor time of Node for one ${left.time()} and ${right.time()}`,
  };
}

/** Measures a rate, and with it the processor time that the server itself used for a request. */
function measured(url: string, headers: Record<string, string>, pid: number) {
  let requests = 0;
  let used = 0;
  return {
    rate: async (): Promise<number> => {
      const before = await processorSeconds(pid);
      const started = performance.now();
      const rate = await requestsPerSecond(url, { ...load, headers });
      requests += (rate * (performance.now() - started)) / 1000;
      used += ((await processorSeconds(pid)) ?? Number.NaN) - (before ?? Number.NaN);
      return rate;
    },
    time: (): string => (Number.isNaN(used) ? 'unknown' : `${((used / requests) * 1e6).toFixed(0)} µs`),
  };
}

/**
 * Numbers of the account, and the tables that a schema made for these lists alone would have. Returns the account's id.
 */
async function makeIdealSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const account = await fillDids(client, 'Bench', 10_000);
    await client.query(`
      create table least_groups as
        select g.id, g.back_orderable or coalesce(sum(b.available), 0) > 0 as is_available, coalesce(sum(b.available), 0)::int as total_count
        from did_groups g left join stock_blocks b on b.did_group_id = g.id group by g.id;
      alter table least_groups add primary key (id);
      create table least_numbers as
        select row_number() over (order by left(a.number, -4), a.did_group_id, a.number) as position, a.id, a.number, a.did_group_id
        from available_dids a join did_groups g on g.id = a.did_group_id where g.available_dids_enabled;
      alter table least_numbers add primary key (position);
      create table least_totals (name text primary key, total int);
      insert into least_totals select 'available_dids', count(*) from least_numbers
        union all select 'did_groups', count(*) from did_groups union all select 'dids', count(*) from dids`);
    // Members in the order of an answer, which jsonb does not keep.
    const configuration = withDefaults(sipConfiguration, { host: 'sip.example.net', port: 5060 });
    await client.query('update voice_in_trunks set configuration = $1', [configuration]);
    await client.query('create table least_configurations (trunk_id uuid primary key, configuration json)');
    await client.query('insert into least_configurations select id, $1 from voice_in_trunks', [
      JSON.stringify(configuration),
    ]);
    await client.query('vacuum analyze');
    return account;
  } finally {
    await client.end();
  }
}

interface Peer {
  url: string;
  child: ChildProcess;
}

async function startPeer(databaseUrl: string, account: string): Promise<Peer> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'servers/least.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: databaseUrl, LEAST_ACCOUNT: account },
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), child };
}
