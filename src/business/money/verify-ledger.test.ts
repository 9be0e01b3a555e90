/** Each check of the books finds what it is for. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { runDueJobs } from '../../../test/support/environment.ts';
import { capacityItem, didItem } from '../../../test/support/requests.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';
import { updateAccount } from '../accounts/accounts.ts';
import { ledgerChecks, verifyLedger } from './ledger-checks.ts';

const shop = useOpened(() => openShop());
beforeAll(async () => {
  await updateAccount(shop.env, shop.accountId, { vatRate: '21' });
  await shop.stock('london', 3);
  await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 2 })]);
  await shop.postOrder([didItem({ sku_id: shop.skus.newyork })]);
  await shop.postOrder([capacityItem({ capacity_pool_id: shop.poolId, qty: 3 })]);
  await runDueJobs(shop.env);
});

const broken = async () =>
  (await verifyLedger(shop.env.db)).filter(({ offences }) => offences.length > 0).map(({ name }) => name);

test('clean books pass every check', async () => {
  expect((await verifyLedger(shop.env.db)).length).toBeGreaterThan(10);
  expect(await broken()).toEqual([]);
});

/** What the database refuses is done behind its back, with its triggers off and its constraints dropped. */
const damage: [string, string, string][] = [
  [
    'a transaction that does not balance',
    `update ledger_entries set amount = amount + 1 where ledger = 'revenue'`,
    'every transaction sums to zero and has at least two entries',
  ],
  [
    'an entry of another account',
    `update ledger_entries set account_id = '${randomUUID()}' where ledger = 'revenue'`,
    'every entry is of the account of its transaction',
  ],
  ['a balance changed by hand', 'update accounts set balance = balance + 1', 'every balance is the sum of its entries'],
  [
    'a completed order without its charge',
    `update ledger_transactions set order_id = null where cause = 'order'`,
    'every completed order was paid exactly, and nothing of it is kept aside',
  ],
  [
    'an order cancelled without its refund',
    `update orders set status = 'canceled', finished_at = created_at where status = 'pending'`,
    'every canceled order kept only what was not given back, and nothing of it is kept aside',
  ],
  [
    'a pending order without its hold',
    `delete from ledger_entries e using ledger_transactions t, orders o where t.id = e.transaction_id and o.id = t.order_id and o.status = 'pending'`,
    'every pending order has its whole amount kept aside',
  ],
  [
    'an order with another amount',
    'update order_items set mrc = mrc + 1',
    'the amount of every order is the sum of its items',
  ],
  [
    'a charge for an order that is not there',
    `update ledger_transactions set order_id = '${randomUUID()}' where cause = 'order'`,
    'every charge that names an order belongs to one of the same account',
  ],
  [
    'money held by no call',
    'update accounts set held = 1',
    'accounts, trunks and classes of destinations hold what their calls hold',
  ],
  [
    'a renewal without an order',
    `update ledger_transactions set cause = 'renewal', order_id = null where cause = 'order'`,
    'every renewal, restoration and emergency charge has exactly one order',
  ],
  [
    'an emergency service charged twice with one order',
    `update ledger_transactions set cause = 'emergency_renewal', occasion = id::text, order_id = (select min(order_id::text)::uuid from ledger_transactions) where order_id is not null`,
    'every renewal, restoration and emergency charge has exactly one order',
  ],
  [
    'a number charged for a month it did not get',
    `update ledger_transactions t set cause = 'renewal', reference = d.id, created_at = d.billed_since + interval '1 day' from dids d where t.cause = 'order_completed' and t.order_id = d.order_id and d.number = (select min(number) from dids)`,
    'no number was renewed more often than it has periods',
  ],
  [
    'a month that nobody charged',
    'update dids set periods = 2 where number = (select min(number) from dids)',
    'every month of a number after its first has its order',
  ],
  [
    'a refund that no item shows',
    `update orders set refunded = 1 where status = 'pending'`,
    'every order gave back what was given back of its items',
  ],
  [
    'a price with another tax',
    'update order_items set mrc_vat = mrc_vat + 0.01 where mrc > 0',
    'the tax of every price is by the rule',
  ],
  [
    'a tax that was charged and not booked',
    `update ledger_entries v set amount = v.amount - 0.0001 where v.ledger = 'vat'`,
    'the tax booked for every order is the tax it charged',
  ],
  [
    'a fee taxed by whole cents',
    `update ledger_transactions set cause = 'verification_fee', occasion = id::text where cause = 'order_completed';
     update ledger_entries set amount = amount + 0.001 where ledger = 'revenue'`,
    'the tax booked for every fee and call is the tax it charged',
  ],
  [
    'a call that was charged and has no CDR',
    `update ledger_transactions set cause = 'call_charge' where cause = 'order'`,
    'every call was charged what its CDRs say',
  ],
  [
    'a number owned twice',
    `alter table dids drop constraint dids_number_key;
     create temporary table twin on commit drop as select * from dids order by number limit 1;
     update twin set id = gen_random_uuid(), account_id = gen_random_uuid();
     insert into dids select * from twin`,
    'no number is owned twice',
  ],
  [
    'a number in stock and owned',
    'insert into available_dids (number, did_group_id) select number, did_group_id from dids limit 1',
    'no number is both owned and available',
  ],
  [
    'a finished order that misses numbers',
    `update order_items i set missing = 1 from orders o where o.id = i.order_id and o.status = 'completed' and i.type = 'did_order_items'`,
    'no order has more numbers than it paid for, and a finished one misses none',
  ],
  [
    'more numbers than were paid for',
    `update order_items set qty = 1 where qty = 2 and type = 'did_order_items'`,
    'no order has more numbers than it paid for, and a finished one misses none',
  ],
  [
    'a cancelled order that keeps its numbers',
    `update orders set status = 'canceled' where status = 'completed' and kind = 'did'`,
    'no order has more numbers than it paid for, and a finished one misses none',
  ],
  [
    'more channels assigned than bought',
    `alter table capacity_pools drop constraint capacity_pools_not_over_assigned;
     insert into shared_capacity_groups (account_id, capacity_pool_id, name, shared_channels_count, created_at)
       select account_id, id, 'too many', total_channels_count + 1, '2026-06-15' from capacity_pools where total_channels_count > 0;
     update capacity_pools set assigned_channels_count = total_channels_count + 1 where total_channels_count > 0`,
    'every pool counts the channels it has assigned, and has as many',
  ],
  [
    'channels counted wrongly',
    'update capacity_pools set assigned_channels_count = 1 where total_channels_count > 0',
    'every pool counts the channels it has assigned, and has as many',
  ],
];

test('every check is known to find something', () => {
  expect([...new Set(damage.map(([, , check]) => check))].sort()).toEqual(ledgerChecks.map(({ name }) => name).sort());
});

test.each(damage)('%s is found', async (_what, statement, check) => {
  const client = await shop.env.pool.connect();
  try {
    await client.query(`set session_replication_role = replica`);
    await client.query('begin');
    await client.query(statement);
    // The check itself, on the same connection, so that the damage can be undone.
    const { rows } = await client.query(ledgerChecks.find(({ name }) => name === check)?.sql ?? '');
    expect(rows.length).toBeGreaterThan(0);
  } finally {
    await client.query('rollback');
    await client.query('reset session_replication_role');
    client.release();
  }
  expect(await broken()).toEqual([]);
});
