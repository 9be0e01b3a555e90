/**
 * Fills a database as a carrier's would be after some months, set by set: customers, their numbers, calls, codes and
 * requests.
 */
import type pg from 'pg';
import { ensureMonths } from '../../src/business/voice/months.ts';
import type { Environment } from '../../src/engines/environment.ts';

/** How many records of each kind. Calls are CDRs, one half of them in each direction. */
export interface Sizes {
  accounts: number;
  numbers: number;
  calls: number;
}

const days = 75;
const requestDays = 7;

/**
 * The demo catalogue has to be there: numbers belong to its groups. Nothing else may be in the tables that are filled.
 */
export async function fillCarrier(env: Environment, sizes: Sizes, progress: (text: string) => void): Promise<void> {
  const now = env.clock.now();
  const back = (count: number) => new Date(now.getTime() - count * 86_400_000);
  for (let day = 0; day <= days + 1; day += 20) await ensureMonths(env, 'cdrs_in', back(day));
  for (let day = 0; day <= days + 1; day += 20) await ensureMonths(env, 'cdrs_out', back(day));
  const client = await env.pool.connect();
  try {
    for (const day of [0, 20, 40, 60, days]) {
      for (const table of ['did_history', 'delivery_attempts']) {
        await client.query('select ensure_month_partition($1, $2)', [table, back(day)]);
      }
    }
    for (let day = 0; day <= requestDays; day += 1) {
      await client.query(`select ensure_day_partition('api_requests', $1)`, [back(day)]);
    }
    // Triggers and foreign keys would be asked row by row; what is written here is consistent.
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`);
    await client.query(`set synchronous_commit = off; set statement_timeout = 0; set jit = off`);
    for (const { table, rows, insert } of steps(sizes)) {
      await withoutIndexes(client, table, () => client.query(insert, [rows, now]));
      progress(`${rows} ${table}`);
    }
    await client.query('reset session_replication_role');
    await client.query(
      `select setval(pg_get_serial_sequence('ledger_transactions', 'id'), max(id)) from ledger_transactions`,
    );
    await client.query('vacuum analyze');
  } finally {
    client.release(true);
  }
}

interface Step {
  table: string;
  rows: number;
  /** `$1` is the number of rows, `$2` the environment's time. */
  insert: string;
}

/**
 * A record finds what it belongs to by its number: account `n % accounts` is the owner. Customers differ in size:
 * record `n` of a kind belongs to the account at `n²` on a circle, so some have many and some have none.
 */
function steps({ accounts, numbers, calls }: Sizes): Step[] {
  const uuid = (kind: number, n: string) => `('0000000${kind}-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
  const account = (n: string) => uuid(1, `(${n}::bigint * ${n}::bigint) % ${accounts}`);
  const series = 'from (select $2::timestamptz) given(now) cross join generate_series(0, $1::bigint - 1) n';
  /** Moments from `$2` backwards, the same distance apart. */
  const moment = (length: number) => `given.now - n * (interval '${length} days' / $1::float8)`;
  const halfOfCalls = Math.floor(calls / 2);
  const orders = Math.floor(numbers / 2);
  return [
    {
      table: 'accounts',
      rows: accounts,
      insert: `insert into accounts (id, name, email, balance, created_at)
        select ${uuid(1, 'n')}, 'Customer ' || md5(n::text), 'ops-' || n || '@customer-' || md5(n::text) || '.test', n, ${moment(days)} ${series}`,
    },
    {
      table: 'api_keys',
      rows: accounts,
      insert: `insert into api_keys (id, account_id, name, key_hash, prefix, created_at)
        select ${uuid(2, 'n')}, ${uuid(1, 'n')}, 'main', decode(md5('key' || n) || md5('hash' || n), 'hex'), 'key', given.now ${series}`,
    },
    {
      table: 'otp_applications',
      rows: accounts,
      insert: `insert into otp_applications (id, account_id, key, sealed_secret, name, created_at)
        select ${uuid(3, 'n')}, ${uuid(1, 'n')}, ${uuid(3, 'n')}::text, 'sealed', 'web', given.now ${series}`,
    },
    {
      table: 'orders',
      rows: orders,
      insert: `insert into orders (id, account_id, reference, kind, description, amount, status, external_reference_id, created_at, finished_at)
        select ${uuid(4, 'n')}, ${account('n')}, chr(65 + (n / 17576 % 26)::int) || chr(65 + (n / 676 % 26)::int) || chr(65 + (n / 26 % 26)::int) || '-' || lpad(n::text, 6, '0'),
          'did', 'DID', 1.5, case when n % 5000 = 7 then 'pending' when n % 100 = 3 then 'canceled' else 'completed' end,
          case when n % 3 = 0 then 'PO-' || n end, ${moment(days)}, case when n % 5000 <> 7 then ${moment(days)} end ${series}`,
    },
    {
      table: 'dids',
      rows: numbers,
      insert: `insert into dids (id, account_id, number, did_group_id, sku_id, order_id, order_position, channels_included_count,
          awaiting_registration, terminated, blocked_by_staff, created_at, activated_at, billed_since, expires_at, expired_at)
        select ${uuid(5, 'n')}, ${account('n / 2')}, '4930' || lpad(((n * 7919) % 100000000)::text, 8, '0'), o.did_group_id, o.id, ${uuid(4, 'n / 2')}, 0, 2,
          n % 1000 = 1, n % 500 = 2, n % 5000 = 3, ${moment(days)}, case when n % 1000 <> 4 then ${moment(days)} end, given.now,
          given.now + interval '20 days', case when n % 300 = 5 then given.now end
        ${series} join (select row_number() over (order by id) - 1 as place, id, did_group_id from stock_keeping_units) o
          on o.place = n % (select count(*) from stock_keeping_units)`,
    },
    {
      table: 'did_history',
      rows: numbers,
      insert: `insert into did_history (account_id, did_number, action, method, created_at)
        select ${account('n / 2')}, '4930' || lpad(((n * 7919) % 100000000)::text, 8, '0'),
          case when n % 10 = 0 then 'renewed' when n % 5000 = 3 then 'restored' else 'assigned' end,
          case when n % 4000 = 1 then 'staff' else 'api3' end, ${moment(days)} ${series}`,
    },
    {
      table: 'cdrs_in',
      rows: halfOfCalls,
      insert: `insert into cdrs_in (id, call_id, account_id, attempt, is_last, time_start, time_connect, time_end, success, src_number, did_number,
          duration, disconnect_code, response, disconnect_initiator, voice_in_trunk_name, destination, leg_call_id, carrier_name)
        select ${uuid(6, 'n')}, '10-' || n, ${account('n')}, 1, true, at, at, at + interval '90 seconds', n % 4 > 0,
          '1555' || lpad(((n * 104729) % 10000000)::text, 7, '0'), '4930' || lpad(((n * 7919) % 100000000)::text, 8, '0'), 90,
          case when n % 4 > 0 then 200 when n % 50000 = 8 then 604 else 486 end, 'Bye', 'Origination', 'Primary SIP',
          'sip:4930@sip.example.net', md5(n::text), 'First'
        ${series}, lateral (select ${moment(days)}) t(at)`,
    },
    {
      table: 'cdrs_out',
      rows: halfOfCalls,
      insert: `insert into cdrs_out (id, call_id, account_id, voice_out_trunk_id, voice_out_trunk_name, time_start, time_connect, time_end, success,
          src_number, original_src_number, dst_number, duration, billing_duration, disconnect_code, disconnect_reason, country, call_type,
          rate, price, leg_call_id, carrier_id, carrier_name, carrier_rate, carrier_cost, margin)
        select ${uuid(7, 'n')}, '20-' || n, ${account('n')}, ${uuid(8, 'n % 20000')}, 'Out', at, at, at + interval '90 seconds', n % 3 > 0,
          '4930' || lpad(((n * 7919) % 100000000)::text, 8, '0'), '4930', '44' || lpad(((n * 104729) % 1000000000)::text, 10, '0'), 90, 90,
          case when n % 3 > 0 then 200 when n % 50001 = 9 then 604 else 503 end, 'Bye', 'United Kingdom', 'termination', 0.01, 0.015, md5(n::text),
          ${uuid(9, 'case when n % 100000 = 11 then 1 else 2 end')}, 'First', 0.008, 0.012, 0.003
        ${series}, lateral (select ${moment(days)}) t(at)`,
    },
    {
      table: 'verifications',
      rows: numbers * 2,
      insert: `insert into verifications (id, application_id, account_id, destination, delivery_method, status, error_code, fee, language, code_length,
          code_timeout, created_at, expires_at, dispatched_at, final_at)
        select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8000'
            || lpad(to_hex(n), 12, '0'))::uuid, ${uuid(3, `(n * n) % ${accounts}`)}, ${account('n')}, '491' || lpad(((n * 7919) % 10000000000)::text, 10, '0'),
          case when n % 20000 = 5 then 'callout' else 'sms' end,
          case when n % 10 > 2 then 'verified' when n % 50000 = 10 then 'denied' else 'failed' end, case when n % 10 <= 2 then 'code_expired' end, 0.05, 'en-US', 6, 300, at, at, at, at
        ${series}, lateral (select ${moment(days)}) t(at)`,
    },
    {
      table: 'deliveries',
      rows: numbers,
      insert: `insert into deliveries (id, account_id, kind, url, method, payload, status, attempts, created_at, finished_at)
        select ${uuid(8, 'n')}, ${account('n')}, case when n % 20000 = 1 then 'exports' else 'orders' end, 'https://hooks.example.net/', 'post', '{}',
          case when n % 2000 = 1 then 'failed' when n % 100000 = 2 then 'dropped' else 'delivered' end, 1, at, at
        ${series}, lateral (select ${moment(30)}) t(at)`,
    },
    {
      table: 'delivery_attempts',
      rows: numbers,
      insert: `insert into delivery_attempts (delivery_id, attempted_at, attempt, request, status, duration_ms)
        select ${uuid(8, 'n')}, ${moment(30)}, 1, '{}', 200, 12 ${series}`,
    },
    {
      table: 'stored_files',
      rows: Math.floor(numbers / 10),
      insert: `insert into stored_files (id, account_id, fingerprint, size, created_at)
        select ${uuid(9, 'n')}, ${account('n')}, md5('key'), 1000, ${moment(1)} ${series}`,
    },
    {
      table: 'encrypted_files',
      rows: Math.floor(numbers / 10),
      insert: `insert into encrypted_files (account_id, stored_file_id, created_at, expires_at)
        select ${account('n')}, ${uuid(9, 'n')}, ${moment(1)}, given.now ${series}`,
    },
    {
      table: 'api_requests',
      rows: numbers * 3,
      insert: `insert into api_requests (at, account_id, caller_kind, caller_id, method, route, path, status, duration_ms, address, request_id)
        select ${moment(requestDays)}, ${account('n')}, case when n % 50000 = 1 then 'session' else 'api_key' end, ${uuid(2, `(n * n) % ${accounts}`)},
          case when n % 50000 = 2 then 'DELETE' else 'GET' end, case when n % 50000 = 3 then '/v3/exports' else '/v3/dids' end, '/v3/dids',
          case when n % 50000 = 4 then 500 when n % 100 = 5 then 404 else 200 end, 5, '192.0.2.1', md5(n::text) ${series}`,
    },
    {
      table: 'ledger_transactions',
      rows: numbers,
      insert: `insert into ledger_transactions (id, account_id, cause, reference, order_id, created_at) overriding system value
        select n + 1, ${account('n')}, case when n % 50000 = 1 then 'adjustment' else 'order' end, ${uuid(4, 'n')},
          case when n % 2 = 0 then ${uuid(4, 'n / 2')} end, given.now - ($1 - n) * interval '6 seconds' ${series}`,
    },
    {
      table: 'ledger_entries',
      rows: numbers * 2,
      insert: `insert into ledger_entries (transaction_id, ledger, account_id, amount)
        select n / 2 + 1, case when n % 2 = 0 then 'customer' when n % 50000 = 1 then 'refunds' else 'revenue' end, ${account('n / 2')},
          case when n % 2 = 0 then -1.5 else 1.5 end ${series}`,
    },
    {
      table: 'audit_log',
      rows: Math.floor(numbers / 5),
      insert: `insert into audit_log (at, actor, action, account_id, subject_type, subject_id, source)
        select given.now - ($1 - n) * interval '20 seconds', 'ops-' || n % 20 || '@operator.test',
          case when n % 20000 = 1 then 'account.suspended' else 'account.updated' end, ${account('n')}, 'accounts', ${account('n')}::text, '192.0.2.1' ${series}`,
    },
    {
      table: 'open_calls',
      rows: Math.floor(accounts / 5),
      insert: `insert into open_calls (id, direction, account_id, worker_id, state, trunk_id, time_start, call)
        select '30-' || n, 'out', ${account('n')}, ${uuid(1, '0')}, 'answered', ${uuid(8, 'n')}, given.now - n * interval '1 second',
          jsonb_build_object('srcNumber', '4930' || n, 'dstNumber', '44' || n) ${series}`,
    },
  ];
}

/** Runs `work` while the table has no indexes but those of constraints: a million entries are faster made in one go. */
async function withoutIndexes(client: pg.PoolClient, table: string, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid = $1::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [table],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await work();
  // The definition of a partitioned index says ONLY, which would leave out the partitions.
  for (const { definition } of rows) await client.query(definition.replace(' ON ONLY ', ' ON '));
}
