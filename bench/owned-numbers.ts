/** Numbers, orders and history of one account, written straight into the tables. */
import type pg from 'pg';

/** Adds `count` numbers, their order and the trunk that takes their calls to the account of that name, and returns its id. */
export async function fillDids(client: pg.Client, accountName: string, count: number): Promise<string> {
  const { rows } = await client.query(
    `with account as (select id from accounts where name = $1),
       ordered as (
         insert into orders (account_id, reference, kind, description, amount, status, created_at, finished_at)
         select id, 'BEN-' || lpad((random() * 999999)::int::text, 6, '0'), 'did', 'DID', 0, 'completed', now(), now() from account returning id),
       trunk as (
         insert into voice_in_trunks (account_id, name, configuration_type, configuration, created_at)
         select id, 'Bench ' || gen_random_uuid(), 'sip_configurations', '{"host":"sip.example.net","port":5060}', now() from account
         returning id),
       offers as (select row_number() over (order by id) - 1 as place, count(*) over () as all_offers, id, did_group_id from stock_keeping_units),
       filled as (
         insert into dids (account_id, number, did_group_id, sku_id, order_id, order_position, channels_included_count, voice_in_trunk_id,
           description, created_at, activated_at, billed_since, expires_at)
         select account.id, '999' || lpad(n::text, 9, '0'), o.did_group_id, o.id, ordered.id, 0, 2, trunk.id, 'Number ' || n, now(), now(), now(),
           now() + interval '1 month'
         from generate_series(1, $2::int) n join offers o on o.place = n % o.all_offers, account, ordered, trunk returning 1)
     select account.id from account`,
    [accountName, count],
  );
  await client.query('vacuum analyze dids');
  return rows[0].id;
}

/** Adds completed orders without items to the account, one in three with a reference of the customer. */
export async function fillOrders(client: pg.Client, accountName: string, count: number): Promise<void> {
  await client.query(
    `insert into orders (account_id, reference, kind, description, amount, status, external_reference_id, created_at, finished_at)
     select a.id, chr(65 + n / 1000000 % 26) || 'OR-' || lpad((n % 1000000)::text, 6, '0'), 'generic', 'Bench', n % 500, 'completed',
       case when n % 3 = 0 then 'po-' || n end, at, at
     from accounts a, generate_series(1, $2::int) n, lateral (select now() - n * interval '1 second' as at) t where a.name = $1`,
    [accountName, count],
  );
  await client.query('vacuum analyze orders');
}

/** Adds events of the account's numbers, all of this month. */
export async function fillHistory(client: pg.Client, accountName: string, count: number): Promise<void> {
  await client.query(`select ensure_month_partition('did_history', now())`);
  await client.query(
    `insert into did_history (account_id, did_number, action, method, created_at)
     select a.id, '999' || lpad(n::text, 9, '0'), 'assigned', 'api3', greatest(now() - n * interval '1 ms', date_trunc('month', now()))
     from accounts a, generate_series(1, $2::int) n where a.name = $1`,
    [accountName, count],
  );
  await client.query('vacuum analyze did_history');
}
