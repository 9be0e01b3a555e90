/** What an order costs over the same SQL written by hand, and while the stock grows a thousandfold. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Pool } from 'undici';
import { createAccount } from '../src/business/accounts/accounts.ts';
import { createApiKey } from '../src/business/accounts/api-keys.ts';
import { generateNumbers } from '../src/business/catalogue/generate.ts';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import type { Environment } from '../src/engines/environment.ts';
import type { Http } from './kept-connections.ts';
import { compareRates, median } from './load.ts';
import type { Bench, Row } from './row.ts';
import { stockUp } from './stock.ts';
import { openWorld } from './world.ts';

const clientCount = 16;
const orderCount = 600;
const smallStock = 10_000;
const largeStock = 10_000_000;

export interface Counter {
  accounts: { id: string; key: string }[];
  sku: string;
  group: string;
}

export const orders: Bench = {
  name: 'orders',
  run: async () => {
    const world = await openWorld();
    try {
      const counters = new Map<number, Counter>();
      await world.prepare('orders_small', async (env) => {
        await loadDemoCatalogue(env);
        await env.pool.query('truncate available_dids cascade');
        await env.pool.query('delete from stock_blocks');
        const { rows } = await env.pool.query('select did_group_id from stock_keeping_units order by 1 limit 1');
        await generateNumbers(env, smallStock, { groups: [rows[0].did_group_id] });
        await env.pool.query('vacuum analyze');
        await postponeJobs(env);
        counters.set(smallStock, await openCounter(env));
      });
      await world.prepare('orders_large', async (env) => {
        await stockUp(env, largeStock);
        await postponeJobs(env);
        const counter = await openCounter(env);
        // Enough of one group for every round.
        await generateNumbers(env, smallStock, { groups: [counter.group] });
        counters.set(largeStock, counter);
      });
      const small = {
        ...counterOf(counters, smallStock),
        ...(await world.serve('orders_small', { TRUNKLINE_ROLES: 'api' })),
      };
      const large = {
        ...counterOf(counters, largeStock),
        ...(await world.serve('orders_large', { TRUNKLINE_ROLES: 'api' })),
      };
      const keys = (counter: Counter) => counter.accounts.map(({ key }) => key);
      const rates = await compareRates(
        3,
        () => ordersPerSecond(large.url, keys(large), large.sku),
        () => byHandPerSecond(world.server.url('orders_large'), large),
      );
      // As autovacuum does a minute later: the rounds above filled tables that were empty when statements were planned.
      for (const database of ['orders_small', 'orders_large']) await analyze(world.server.url(database));
      const times = { small: [] as number[], large: [] as number[] };
      for (let round = 0; round < 5; round += 1) {
        times.small.push(await medianOrder(small.url, keys(small), small.sku));
        times.large.push(await medianOrder(large.url, keys(large), large.sku));
      }
      return [
        {
          measure: `orders a second (SKU, qty 1), ${clientCount} clients: Trunkline / the same SQL by hand`,
          ratio: rates.ratio,
          required: { atLeast: 0.5 },
          note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s`,
        },
        {
          measure: 'time of one order: 10 M / 10 k numbers in stock',
          ratio: median(times.large) / median(times.small),
          required: { atMost: 1.5 },
          note: `${median(times.large).toFixed(1)} ms and ${median(times.small).toFixed(1)} ms`,
        },
      ] satisfies Row[];
    } finally {
      await world.close();
    }
  },
};

async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('analyze').finally(() => client.end());
}

/** No worker runs here: jobs that wait for one by intention must not count as orders that are completed late. */
async function postponeJobs({ pool }: Environment): Promise<void> {
  await pool.query(`
    create function bench_postpone() returns trigger language plpgsql as
      $$ begin new.run_at := new.run_at + interval '1 day'; return new; end $$;
    create trigger bench_postpone before insert on jobs
      for each row execute function bench_postpone()`);
}

/** Customers with money, and an offer of the group with the most numbers. */
export async function openCounter(env: Environment): Promise<Counter> {
  const accounts: Counter['accounts'] = [];
  for (let n = 0; n < clientCount; n += 1) {
    const { id } = await createAccount(env, { name: `Buyer ${n}`, balance: '1000000' });
    accounts.push({ id, key: (await createApiKey(env, id, { name: 'bench' })).key });
  }
  const { rows } = await env.pool.query(
    `select s.id, s.did_group_id from stock_keeping_units s join stock_blocks b on b.did_group_id = s.did_group_id
     group by s.id order by sum(b.available) desc, s.id limit 1`,
  );
  return { accounts, sku: rows[0].id, group: rows[0].did_group_id };
}

function counterOf(counters: ReadonlyMap<number, Counter>, size: number): Counter {
  const counter = counters.get(size);
  if (!counter) throw new Error(`no counter for ${size} numbers`);
  return counter;
}

/** Orders one number and returns the status of the response. */
export async function sendOrder(pool: Http, key: string, sku: string, callbackUrl?: string): Promise<number> {
  const media = 'application/vnd.api+json';
  const items = [{ type: 'did_order_items', attributes: { sku_id: sku } }];
  const callback = callbackUrl === undefined ? {} : { callback_url: callbackUrl, callback_method: 'post' };
  const attributes = { items, allow_back_ordering: false, ...callback };
  const { statusCode, body } = await pool.request({
    path: '/v3/orders',
    method: 'POST',
    headers: { 'api-key': key, accept: media, 'content-type': media },
    body: JSON.stringify({ data: { type: 'orders', attributes } }),
  });
  const text = await body.text();
  if (statusCode !== 201 && statusCode !== 503) {
    throw new Error(`an order got the response ${statusCode}: ${text.slice(0, 300)}`);
  }
  return statusCode;
}

async function place(pool: Pool, key: string, sku: string): Promise<void> {
  if ((await sendOrder(pool, key, sku)) !== 201) throw new Error('an order was refused');
}

async function ordersPerSecond(url: string, keys: string[], sku: string): Promise<number> {
  const pool = new Pool(url, { connections: clientCount });
  let left = orderCount;
  const started = performance.now();
  await Promise.all(
    keys.map(async (key) => {
      while (left > 0) {
        left -= 1;
        await place(pool, key, sku);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return orderCount / seconds;
}

async function medianOrder(url: string, keys: string[], sku: string): Promise<number> {
  const pool = new Pool(url, { connections: 1 });
  const times: number[] = [];
  for (let n = 0; n < 60; n += 1) {
    const started = performance.now();
    await place(pool, keys[n % keys.length] ?? '', sku);
    times.push(performance.now() - started);
  }
  await pool.close();
  return median(times);
}

/** Each connection sells one number after another: stock, order, number, job and money in one transaction. */
async function byHandPerSecond(url: string, { accounts, sku, group }: Counter): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: clientCount });
  pool.on('error', () => undefined);
  try {
    let left = orderCount;
    const started = performance.now();
    await Promise.all(
      accounts.map(async ({ id }) => {
        const client = await pool.connect();
        try {
          while (left > 0) {
            left -= 1;
            await sellByHand(client, id, sku, group);
          }
        } finally {
          client.release();
        }
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    return orderCount / seconds;
  } finally {
    await pool.end();
  }
}

async function sellByHand(client: pg.PoolClient, account: string, sku: string, group: string): Promise<void> {
  const now = new Date();
  const order = randomUUID();
  const reference = `BYH-${String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0')}`;
  const price = await client.query(
    `select s.setup_price, s.monthly_price, g.back_orderable, a.vat_rate from stock_keeping_units s
     join did_groups g on g.id = s.did_group_id join accounts a on a.id = $2 where s.id = $1`,
    [sku, account],
  );
  const { setup_price: nrc, monthly_price: mrc } = price.rows[0];
  await client.query('begin');
  const taken = await client.query('select number from take_stock($1, null, 1, $2)', [group, now]);
  const made = await client.query(
    `insert into orders (id, account_id, reference, kind, description, amount, status, created_at)
     values ($1, $2, $3, 'did', 'DID', $4::numeric + $5::numeric, 'pending', $6) on conflict do nothing returning amount`,
    [order, account, reference, nrc, mrc, now],
  );
  if (made.rowCount === 0) {
    await client.query('rollback');
    return sellByHand(client, account, sku, group);
  }
  await client.query(
    `insert into order_items (order_id, position, type, qty, nrc, mrc, did_group_id, sku_id)
     values ($1, 0, 'did_order_items', 1, $2, $3, $4, $5)`,
    [order, nrc, mrc, group, sku],
  );
  await client.query(
    `insert into dids (account_id, number, did_group_id, sku_id, order_id, order_position, channels_included_count, created_at)
     values ($1, $2, $3, $4, $5, 0, 0, $6)`,
    [account, taken.rows[0].number, group, sku, order, now],
  );
  await client.query(`select queue_job('orders.fulfil', $1, $2)`, [JSON.stringify({ order_id: order }), now]);
  await client.query('select balance, credit from accounts where id = $1 for no key update', [account]);
  await client.query(
    `with opened as (
       insert into ledger_transactions (account_id, cause, reference, order_id, created_at)
       values ($1, 'order', $2, $2, $4) returning id
     )
     insert into ledger_entries (transaction_id, ledger, account_id, amount)
     select id, 'customer', $1, -$3::numeric from opened where $3::numeric > 0
     union all select id, 'holds', $1, $3::numeric from opened where $3::numeric > 0`,
    [account, order, made.rows[0].amount, now],
  );
  await client.query('commit');
  await client.query(
    `select o.*, (select json_agg(i) from order_items i where i.order_id = o.id) as items from orders o where o.id = $1`,
    [order],
  );
}
