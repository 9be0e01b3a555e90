/** Numbers, orders and history of one account, written straight into the tables. */
import type pg from 'pg';

/**
 * Adds `count` numbers, their order and the trunk that takes their calls to the account of that name, and returns its
 * id.
 */
export async function fillDids(client: pg.Client, accountName: string, count: number): Promise<string> {
  const { rows } = await client.query<{ account_id: string; order_id: string; trunk_id: string }>(
    `with account as (select id from accounts where name = $1),
       ordered as (
         insert into orders (account_id, reference, kind, description, amount, status, created_at, finished_at)
         select id, 'BEN-' || lpad((random() * 999999)::int::text, 6, '0'), 'did', 'DID', 0, 'completed', now(), now() from account returning id),
       trunk as (
         insert into voice_in_trunks (account_id, name, configuration_type, configuration, created_at)
         select id, 'Bench ' || gen_random_uuid(), 'sip_configurations', '{"host":"sip.example.net","port":5060}', now() from account
         returning id)
     select account.id as account_id, ordered.id as order_id, trunk.id as trunk_id from account, ordered, trunk`,
    [accountName],
  );
  const [made] = rows;
  if (!made) throw new Error(`there is no account ${accountName}`);
  await inBulk(client, 'dids', 'activated_at is not null', {
    text: `insert into dids (account_id, number, did_group_id, sku_id, order_id, order_position, channels_included_count, voice_in_trunk_id,
        description, created_at, activated_at, billed_since, expires_at)
      select $1::uuid, '999' || lpad(n::text, 9, '0'), o.did_group_id, o.id, $2::uuid, 0, 2, $3::uuid, 'Number ' || n, now(), now(), now(),
        now() + interval '1 month'
      from generate_series(1, $4::int) n join (
        select row_number() over (order by id) - 1 as place, id, did_group_id from stock_keeping_units
      ) o on o.place = n % (select count(*) from stock_keeping_units)`,
    values: [made.account_id, made.order_id, made.trunk_id, count],
  });
  return made.account_id;
}

/** Adds completed orders without items to the account, one in three with a reference of the customer. */
export async function fillOrders(client: pg.Client, accountName: string, count: number): Promise<void> {
  await inBulk(client, 'orders', 'true', {
    text: `insert into orders (account_id, reference, kind, description, amount, status, external_reference_id, created_at, finished_at)
      select a.id, chr(65 + n / 1000000 % 26) || 'OR-' || lpad((n % 1000000)::text, 6, '0'), 'generic', 'Bench', n % 500, 'completed',
        case when n % 3 = 0 then 'po-' || n end, at, at
      from accounts a, generate_series(1, $2::int) n, lateral (select now() - n * interval '1 second' as at) t where a.name = $1`,
    values: [accountName, count],
  });
}

/** Adds events of the account's numbers, one a second. */
export async function fillHistory(client: pg.Client, accountName: string, count: number): Promise<void> {
  await client.query(
    `select ensure_month_partition('did_history', at) from generate_series(now() - $1 * interval '1 second', now() + interval '1 day', '1 day') at`,
    [count],
  );
  await inBulk(client, 'did_history', 'true', {
    text: `insert into did_history (account_id, did_number, action, method, created_at)
      select a.id, '999' || lpad(n::text, 9, '0'), 'assigned', 'api3', now() - n * interval '1 second'
      from accounts a, generate_series(1, $2::int) n where a.name = $1`,
    values: [accountName, count],
  });
}

/**
 * Fills a list without its triggers, foreign keys and indexes, which would take most of the time; afterwards the
 * indexes are there again, and the rows are counted by the database's own function. `listed` says which rows the list
 * shows.
 */
async function inBulk(
  client: pg.Client,
  list: 'dids' | 'orders' | 'did_history',
  listed: string,
  fill: { text: string; values: unknown[] },
): Promise<void> {
  await client.query(
    `set session_replication_role = replica; set maintenance_work_mem = '512MB'; set work_mem = '256MB'`,
  );
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
     from pg_index i where i.indrelid = $1::regclass
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [list],
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await client.query(fill.text, fill.values);
  for (const { definition } of indexes) await client.query(definition);
  await client.query(`select owned_counts_recount($1)`, [list]);
  await client.query('reset session_replication_role; reset maintenance_work_mem; reset work_mem');
  await client.query(`vacuum analyze ${list}`);
  await requireCounted(client, list, listed);
}

/** What the lists show as their totals is what is in the table. */
async function requireCounted(client: pg.Client, list: string, listed: string): Promise<void> {
  const { rows } = await client.query<{ kept: number; counted: number }>(
    `select (select coalesce(sum(entries), 0)::int from owned_counts where list = $1 and part like '1 %') as kept,
       (select count(*)::int from ${list} where ${listed}) as counted`,
    [list],
  );
  if (rows[0]?.kept !== rows[0]?.counted) throw new Error(`${list}: ${rows[0]?.kept} counted of ${rows[0]?.counted}`);
}
