/**
 * Lists of 40,000 rows, as the panel of a customer and of operators asks for them: a page, the first or the last,
 * takes few statements without a lookup for each row, a search reads no more than the table once, and one record is
 * found by an index.
 */
import type { PoolClient } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { statementsDuring } from '../../../test/support/statements.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { ensureMonths } from '../../business/voice/months.ts';
import { createApplication } from '../verification/application.writes.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', ...login, balance: '10' } }));
const operator = useMade(() => addOperator(server));
let client: PanelClient;

const rows = 40_000;
const size = 25;
const lastPage = rows / size;

/**
 * Rows of the account, one a second, the newest last, now. `$1` account, `$2` now, `$3` how many, `$4` another id. `ms`
 * is the time in hexadecimal milliseconds, with which ids of verifications begin.
 */
const each = `from generate_series($3::int, 1, -1) n cross join lateral (
  select $2::timestamptz - n * interval '1 second' as at, md5(n || $1::text)::uuid as id, $4::uuid as other) t
  cross join lateral (
  select t.*, lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') as ms) r`;
const filled = {
  cdrs_in: `(id, call_id, account_id, attempt, is_last, time_start, time_end, success, src_number, did_number, duration,
     disconnect_code, response, disconnect_initiator)
   select r.id, r.id, $1::uuid, 1, true, r.at, r.at, false, '15550100', '4930' || n, 0, 404, 'Not found', 'internal' ${each}`,
  cdrs_out: `(id, call_id, account_id, voice_out_trunk_id, voice_out_trunk_name, time_start, time_end, success,
     src_number, original_src_number, dst_number, duration, billing_duration, disconnect_code, disconnect_reason, call_type)
   select r.id, r.id, $1::uuid, r.id, 'dialer', r.at, r.at, false, '15550100', '15550100', '4930' || n, 0, 0, 404, 'Not found',
     'INTERNATIONAL' ${each}`,
  orders: `(id, account_id, reference, kind, description, amount, status, created_at, finished_at)
   select r.id, $1::uuid, 'ABC-' || lpad(n::text, 6, '0'), 'generic', 'An order', 1, 'completed', r.at, r.at ${each}`,
  dids: `(id, account_id, number, did_group_id, sku_id, order_id, order_position, channels_included_count, created_at)
   select r.id, $1::uuid, '4930' || n, r.other, r.other, r.id, 0, 2, r.at ${each}`,
  verifications: `(id, application_id, account_id, destination, delivery_method, status, fee, language, code_length, code_timeout,
     created_at, expires_at, final_at)
   select (left(r.ms, 8) || '-' || right(r.ms, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, r.other, $1::uuid, '4915' || n, 'sms', 'verified', 0, 'en-US', 6, 300, r.at, r.at, r.at ${each}`,
  accounts: `(id, name, email, created_at)
   select r.id, 'Customer ' || n, 'customer' || n || '@example.com', r.at ${each}
   where $1::uuid is not null and r.other is not null`,
};

beforeAll(async () => {
  const { env, accountId } = server;
  const now = env.clock.now();
  const oldest = new Date(now.getTime() - rows * 1_000);
  for (const table of ['cdrs_in', 'cdrs_out'] as const) await ensureMonths(env, table, oldest, now);
  const { id: application } = await createApplication(env, accountId, { name: 'web' });
  const connection = await env.pool.connect();
  try {
    await fill(connection, [accountId, now, rows, application]);
  } finally {
    connection.release(true);
  }
  client = new PanelClient(server.url);
  await client.signIn();
}, 240_000);

/** Without triggers: what else a row of its kind would cause is not measured here, and takes most of the time. */
async function fill(connection: PoolClient, values: unknown[]): Promise<void> {
  await connection.query('set session_replication_role = replica');
  for (const [table, statement] of Object.entries(filled))
    await connection.query(`insert into ${table} ${statement}`, values);
  for (const list of ['orders', 'dids', 'verifications'])
    await connection.query('select owned_counts_recount($1)', [list]);
  await connection.query(`vacuum (analyze) ${Object.keys(filled).join(', ')}`);
}

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** How many statements a request sends, and how many blocks they read in all. */
async function costOf(path: string): Promise<{ statements: number; blocks: number }> {
  const isOfOperators = path.startsWith('/operator/v1');
  const get = () => (isOfOperators ? operator.client.get(path.slice('/operator/v1'.length)) : client.get(path));
  // What the server keeps in memory is read by the first request.
  await get();
  const sent = await statementsDuring(server.env.pool, async () => {
    expect([path, (await get()).status]).toEqual([path, 200]);
  });
  const reads = sent.filter(({ text }) => /^\s*(select|with)\b/i.test(text));
  const plans: Plan[] = [];
  for (const { text, values } of reads) {
    const explained = await server.env.pool.query(`explain (analyze, buffers, format json) ${text}`, values);
    plans.push(explained.rows[0]['QUERY PLAN'][0].Plan);
  }
  const blocks = plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0);
  return { statements: plans.length, blocks };
}

/**
 * Looking something up for each row would read at least one block for each. A first page is counted, which reads the
 * table once; a last page also reads an index to its end, and the rows where their order is not that of the table.
 */
const mostBlocks = { first: rows / 10, last: rows / 4 };

test.each([
  ['/panel/v1/calls?sort=-time_start', 2],
  ['/panel/v1/outbound_calls?sort=-time_start', 2],
  ['/panel/v1/verifications?sort=-created_at', 2],
  ['/v3/orders?sort=-created_at', 3],
  ['/v3/dids?include=did_group.country,voice_in_trunk,voice_in_trunk_group&sort=-created_at', 3],
  ['/operator/v1/accounts?sort=name', 2],
  ['/operator/v1/accounts?sort=-created_at', 2],
  ['/operator/v1/numbers?include=account&sort=number', 3],
  ['/operator/v1/orders?include=account&sort=-created_at', 3],
  ['/operator/v1/verifications?include=account&sort=-created_at', 3],
  ['/operator/v1/cdrs_in?include=account&sort=-time_start', 3],
])('%s: the first page and the last', async (path, most) => {
  for (const [page, limit] of [
    [1, mostBlocks.first],
    [lastPage, mostBlocks.last],
  ] as const) {
    const { statements, blocks } = await costOf(`${path}&page[size]=${size}&page[number]=${page}`);
    expect([page, statements <= most, blocks < limit], `${statements} statements, ${blocks} blocks`).toEqual([
      page,
      true,
      true,
    ]);
  }
});

test.each(['', '&filter[delivery_method]=sms'])('verifications%s are not counted one by one', async (filter) => {
  const path = `/panel/v1/verifications?page[size]=${size}${filter}`;
  expect((await client.get(path)).meta).toMatchObject({ total_records: rows });
  expect((await costOf(path)).blocks).toBeLessThan(200);
});

// A part of a name or e-mail address that could also be one of an id is found by the index all the same.
test('a customer is found among them without reading all', async () => {
  expect((await costOf('/operator/v1/accounts?filter[search]=39999')).blocks).toBeLessThan(200);
});

test.each([
  '/panel/v1/search?type=dids&q=493039',
  '/panel/v1/search?type=orders&q=ABC-0399',
  '/panel/v1/search?q=493039999',
  '/panel/v1/verifications?filter[destination_contains]=1539999',
  '/operator/v1/numbers?filter[number_contains]=39999',
  '/operator/v1/orders?filter[reference_contains]=C-03999',
])('%s reads each table once at most', async (path) => {
  expect((await costOf(path)).blocks).toBeLessThan(mostBlocks.last);
});

test.each(['calls', 'outbound_calls', 'verifications'])('one of the %s is found by an index', async (type) => {
  const { meta, resources } = await client.get(`/panel/v1/${type}?page[size]=1`);
  expect(meta).toMatchObject({ total_records: rows });
  expect((await costOf(`/panel/v1/${type}/${resources[0]?.id}`)).blocks).toBeLessThan(20);
});

test('⌘K finds one outbound call among them', async () => {
  const found = JSON.parse((await client.get(`/panel/v1/search?q=4930${rows}`)).text).results;
  expect(found).toEqual([
    expect.objectContaining({ type: 'dids', label: `+4930${rows}` }),
    expect.objectContaining({ type: 'calls' }),
    expect.objectContaining({ type: 'outbound_calls', label: `15550100 → +4930${rows}` }),
  ]);
});
