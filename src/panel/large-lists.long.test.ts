/** Lists of 100,000 calls: a page, the first or the last, takes two statements without a lookup for each row; one call is found by an index. */
import { beforeAll, expect, test } from 'vitest';
import { login, PanelClient } from '../../test/support/panel-client.ts';
import { startTestServer } from '../../test/support/server.ts';
import { statementsDuring } from '../../test/support/statements.ts';
import { useOpened } from '../../test/support/use.ts';
import { ensureMonths } from '../voice/months.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', ...login, balance: '10' } }));
let client: PanelClient;

const rows = 100_000;

/** Rows of the account, one a second, the newest now. `$1` account, `$2` now, `$3` how many. */
const each = `from generate_series(1, $3::int) n cross join lateral (
  select $2::timestamptz - n * interval '1 second' as at, md5(n || $1::text)::uuid as id) r`;
const filled = [
  `insert into cdrs_in (id, call_id, account_id, attempt, is_last, time_start, time_end, success, src_number, did_number,
     duration, disconnect_code, response, disconnect_initiator)
   select r.id, r.id, $1::uuid, 1, true, r.at, r.at, false, '15550100', '4930' || n, 0, 404, 'Not found', 'internal' ${each}`,
  `insert into cdrs_out (id, call_id, account_id, voice_out_trunk_id, voice_out_trunk_name, time_start, time_end, success,
     src_number, original_src_number, dst_number, duration, billing_duration, disconnect_code, disconnect_reason, call_type)
   select r.id, r.id, $1::uuid, r.id, 'dialer', r.at, r.at, false, '15550100', '15550100', '4930' || n, 0, 0, 404, 'Not found',
     'INTERNATIONAL' ${each}`,
];

beforeAll(async () => {
  const { env, accountId } = server;
  const oldest = new Date(env.clock.now().getTime() - rows * 1_000);
  for (const table of ['cdrs_in', 'cdrs_out'] as const) await ensureMonths(env, table, oldest, env.clock.now());
  for (const statement of filled) await env.pool.query(statement, [accountId, env.clock.now(), rows]);
  await env.pool.query('vacuum (analyze) cdrs_in, cdrs_out');
  client = new PanelClient(server.url);
  await client.signIn();
});

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** How many statements a request sends, and how many blocks they read in all. */
async function costOf(path: string): Promise<{ statements: number; blocks: number }> {
  const sent = await statementsDuring(server.env.pool, async () => {
    expect([path, (await client.get(path)).status]).toEqual([path, 200]);
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

test.each(['calls', 'outbound_calls'])('%s', async (type) => {
  const list = `/panel/v1/${type}`;
  for (const page of [1, rows / 25]) {
    const { statements, blocks } = await costOf(`${list}?page[size]=25&page[number]=${page}`);
    expect(statements).toBeLessThanOrEqual(2);
    // With the count of all rows. Looking something up for each row would read at least one block for each.
    expect(blocks).toBeLessThan(rows / 10);
  }
  const { meta, resources } = await client.get(`${list}?page[size]=1`);
  expect(meta).toMatchObject({ total_records: rows });
  expect((await costOf(`${list}/${resources[0]?.id}`)).blocks).toBeLessThan(20);
});

test('⌘K finds one outbound call among them', async () => {
  const found = async (q: string) => JSON.parse((await client.get(`/panel/v1/search?q=${q}`)).text).results;
  expect(await found(`4930${rows}`)).toEqual([
    expect.objectContaining({ type: 'calls' }),
    expect.objectContaining({ type: 'outbound_calls', label: `15550100 → +4930${rows}` }),
  ]);
});
