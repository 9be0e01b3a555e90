/**
 * Orders, verifications and calls beside an earlier commit: a git worktree of it serves a database of its own on the
 * same database server, and both are asked in turns.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startTrunkline, type Trunkline } from '../test/support/trunkline.ts';
import { VerificationClient } from '../test/support/verification-client.ts';
import { type Http, KeptConnections } from './kept-connections.ts';
import { compareRates } from './load.ts';
import { sendOrder } from './orders.ts';
import type { Bench, Row } from './row.ts';
import { cycleOverHttp } from './verification.ts';
import { openWorld, type World } from './world.ts';

/** The commit that the speed work started from. */
const baseCommit = process.env.BENCH_BASE ?? 'e23ef60';
const clients = 16;
const rounds = 5;
const sliceSeconds = 2;
const root = path.resolve(import.meta.dirname, '..');
const media = 'application/vnd.api+json';
const application = { key: '7c9e6679-7425-40de-944b-e07fc1f90ae7', secret: Buffer.alloc(32, 7).toString('base64url') };

/** One of the two programs, with customers of its own. */
interface Shop {
  url: string;
  http: Http;
  keys: string[];
  /** Offers of many groups: no single one has stock for the whole run. */
  skus: string[];
  number: string;
  verifier: VerificationClient;
}

export const baseline: Bench = {
  name: 'baseline',
  run: async (progress) => {
    const world = await openWorld();
    const running: Trunkline[] = [];
    const receiver: ChildProcess = fork(path.join(import.meta.dirname, 'servers/event-receiver.ts'));
    const checkout = path.join(world.folder, 'base');
    try {
      const [port] = await once(receiver, 'message');
      const events = `http://127.0.0.1:${port}`;
      progress(`a worktree of ${baseCommit}`);
      execFileSync('git', ['worktree', 'add', '--detach', checkout, baseCommit], { cwd: root, stdio: 'ignore' });
      await providePackages(checkout, progress);
      const now = await openShop(world, 'now', null, events, running);
      const base = await openShop(world, 'base', checkout, events, running);
      const compare = async (
        measure: string,
        atLeast: number,
        act: (shop: Shop, client: number) => Promise<boolean>,
      ) => {
        progress(measure);
        const rate = (shop: Shop) => () => perSecond((client) => act(shop, client));
        // Both once before, for compiled code and open connections.
        await rate(now)();
        await rate(base)();
        const rates = await compareRates(rounds, rate(now), rate(base));
        progress(`${rates.ratio.toFixed(2)} (${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s)`);
        return {
          measure: `${measure}, ${clients} clients: now / ${baseCommit}`,
          ratio: rates.ratio,
          required: { atLeast },
          note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s`,
        } satisfies Row;
      };
      return [
        await compare('orders a second (SKU, qty 1)', 2, order),
        await compare('verifications a second: start, inbox, signed report', 2, verify),
        await compare('simulated calls a second with three events each', 1.5, call),
      ];
    } finally {
      await Promise.all(running.map((each) => each.stop()));
      receiver.kill();
      execFileSync('git', ['worktree', 'remove', '--force', checkout], { cwd: root, stdio: 'ignore' });
      await world.close();
    }
  },
};

/** Its own packages where they differ from ours. */
async function providePackages(checkout: string, progress: (text: string) => void): Promise<void> {
  const lockOf = (folder: string) => readFile(path.join(folder, 'package-lock.json'), 'utf8');
  if ((await lockOf(checkout)) === (await lockOf(root))) {
    await symlink(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'));
    return;
  }
  progress('its packages');
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: checkout,
    stdio: 'ignore',
  });
}

/** `checkout` is where an earlier version lies. */
async function openShop(world: World, name: string, checkout: string | null, events: string, running: Trunkline[]) {
  await world.server.createDatabase(name);
  const place = await mkdtemp(path.join(world.folder, `${name}-`));
  const keys = Array.from({ length: clients }, (_, n) => `bench-key-of-the-customer-${n}`);
  const accounts = keys.map((key, n) => ({
    name: `Customer ${n}`,
    balance: '1000000.00',
    api_keys: [{ name: 'bench', key }],
    call_events: { url: `${events}/events`, gzip: false },
    ...(n === 0 ? { otp_applications: [{ name: 'bench', ...application, minimum_mode: 'public' }] } : {}),
  }));
  const bootstrap = path.join(place, 'bootstrap.json');
  await writeFile(bootstrap, JSON.stringify({ sandbox: { catalogue: 'demo', accounts } }));
  const server = startTrunkline(
    place,
    {
      TRUNKLINE_PORT: 'off',
      SANDBOX_DATABASE_URL: world.server.url(name),
      TRUNKLINE_BOOTSTRAP: bootstrap,
      TRUNKLINE_LOG_LEVEL: 'warn',
      // The default has changed in between.
      TRUNKLINE_DATABASE_CONNECTIONS: '8',
      TRUNKLINE_SANDBOX_SIP_PORT: 'off',
    },
    ['serve'],
    checkout === null ? undefined : [process.execPath, path.join(checkout, 'src/main.ts')],
  );
  running.push(server);
  const { environments } = await server.ready();
  const url = environments.sandbox?.url ?? '';
  await stockUp(world.server.url(name));
  const shop = { url, http: new KeptConnections(url), keys };
  const [key = ''] = keys;
  const skus = await offersInStock(shop.http, key);
  const number = await numberWithTrunk(shop.http, key, skus[0] ?? '');
  return { ...shop, skus, number, verifier: new VerificationClient(url, application) } satisfies Shop;
}

/** Enough numbers for every round: the demo's groups have a few hundred each, which are sold out in seconds. */
async function stockUp(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `insert into available_dids (number, did_group_id)
       select '999' || lpad(g.place::text, 3, '0') || lpad(n::text, 6, '0'), g.id
       from (select id, row_number() over (order by id) as place from did_groups where not needs_registration limit 200) g,
         generate_series(0, 999) n`,
    );
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

async function ask(http: Http, key: string, method: 'GET' | 'POST' | 'PATCH', at: string, document?: object) {
  const headers = { 'api-key': key, accept: media, ...(document ? { 'content-type': media } : {}) };
  const { statusCode, body } = await http.request({
    path: at,
    method,
    headers,
    body: document ? JSON.stringify(document) : null,
  });
  const text = await body.text();
  if (statusCode > 299) throw new Error(`${method} ${at} got the response ${statusCode}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

/** One offer of each of the groups with the most numbers. */
async function offersInStock(http: Http, key: string): Promise<string[]> {
  const query = 'include=stock_keeping_units&page[size]=100&filter[is_available]=true&filter[needs_registration]=false';
  const { data } = await ask(http, key, 'GET', `/v3/did_groups?${query}`);
  const groups: {
    meta: { total_count: number };
    relationships: { stock_keeping_units: { data: { id: string }[] } };
  }[] = data;
  return groups
    .sort((left, right) => right.meta.total_count - left.meta.total_count)
    .slice(0, 60)
    .flatMap(({ relationships }) => relationships.stock_keeping_units.data[0]?.id ?? []);
}

/** A number that calls reach: ordered, and routed to a trunk. */
async function numberWithTrunk(http: Http, key: string, sku: string): Promise<string> {
  await sendOrder(http, key, sku);
  const trunk = await ask(http, key, 'POST', '/v3/voice_in_trunks', {
    data: {
      type: 'voice_in_trunks',
      attributes: {
        name: 'Bench',
        configuration: {
          type: 'sip_configurations',
          attributes: { username: 'user', host: 'sip.example.net', codec_ids: [9], transport_protocol_id: 1 },
        },
      },
    },
  });
  for (;;) {
    const { data } = await ask(http, key, 'GET', '/v3/dids');
    const [did] = data;
    if (!did) {
      await sleep(50);
      continue;
    }
    await ask(http, key, 'PATCH', `/v3/dids/${did.id}`, {
      data: {
        id: did.id,
        type: 'dids',
        relationships: { voice_in_trunk: { data: { type: 'voice_in_trunks', id: trunk.data.id } } },
      },
    });
    return did.attributes.number;
  }
}

/** An order that is refused because others wait to be completed does not count, and its customer pauses. */
async function order({ http, keys, skus }: Shop, client: number): Promise<boolean> {
  const sku = skus[Math.floor(Math.random() * skus.length)] ?? '';
  const accepted = (await sendOrder(http, keys[client] ?? '', sku)) === 201;
  if (!accepted) await sleep(100);
  return accepted;
}

/** Likewise a verification that is refused by a server that is busy. */
async function verify({ http, verifier, keys }: Shop): Promise<boolean> {
  try {
    await cycleOverHttp(http, verifier, keys[0] ?? '');
    return true;
  } catch (error) {
    if (!String(error).includes('answered 503')) throw error;
    await sleep(100);
    return false;
  }
}

async function call({ http, keys, number }: Shop): Promise<boolean> {
  const script = { outcomes: [{ code: 200 }], talk_seconds: 5 };
  const { statusCode, body } = await http.request({
    path: '/sandbox/v1/calls',
    method: 'POST',
    headers: { 'api-key': keys[0] ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ did_number: number, src_number: '15550100', script }),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`a call got the response ${statusCode}: ${text.slice(0, 300)}`);
  return true;
}

/** How often all clients together did it in a second. */
async function perSecond(act: (client: number) => Promise<boolean>): Promise<number> {
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() - began < sliceSeconds * 1000) {
        if (await act(client)) done += 1;
      }
    }),
  );
  return done / ((performance.now() - began) / 1000);
}
