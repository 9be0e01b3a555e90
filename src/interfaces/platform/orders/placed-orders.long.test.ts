/**
 * What placing an order costs, what its response shows, and that it is completed alike by every worker.
 */
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { startQuietWorker } from '../../../../test/support/quiet-worker.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { didItem, postOrder } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { fulfilInTurn, fulfilOrder, runFulfilOrder } from './fulfil-orders.ts';

const shop = useOpened(() => openShop());

describe('what an order costs', () => {
  const item = () => [didItem({ sku_id: shop.skus.london })];
  /** Without the look at the queue, the log of requests and the opening of a connection, which several orders share. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await work();
      const texts = queries.mock.calls.map(([query]: unknown[]) =>
        typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query),
      );
      return texts.filter(
        (text) => !/^set |as waiting|api_requests|api_key_us|sandbox_requests|pg_notify|read_only/.test(text),
      );
    } finally {
      queries.mockRestore();
    }
  }

  test('two round trips, and a short transaction for one that is completed later', async () => {
    await shop.stock('london', 2);
    await shop.postOrder(item());
    let id = '';
    const placed = await statementsOf(async () => {
      id = (await shop.postOrder(item())).resource.id;
    });
    const words = placed.map((text) => /place_did_order|^\s*\w+/.exec(text)?.[0].trim());
    expect(words).toEqual(['select', 'select']);
    expect(placed[1]).toContain('place_did_order');
    const completing = await statementsOf(() => fulfilOrder(shop.env, id));
    expect(completing.filter((text) => text.includes('complete_order'))).toHaveLength(1);
    expect(completing.length).toBeLessThanOrEqual(8);
    expect(await shop.getOrderStatus(id)).toBe('completed');
  });

  test('orders that are completed together share one statement, whatever one of them lacks', async () => {
    await shop.stock('london', 3);
    const plain = await Promise.all(Array.from({ length: 3 }, () => shop.postOrder(item())));
    const backOrder = await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 2 })]);
    const ids = [...plain, backOrder].map(({ resource }) => resource.id);
    const fulfil = (id: string) => fulfilInTurn(shop.env, { id, accountId: shop.accountId, numbers: 1 });
    const completing = await statementsOf(() => Promise.all(ids.map(fulfil)));
    expect(completing.filter((text) => text.includes('complete_orders'))).toHaveLength(1);
    const statuses = await Promise.all(ids.map((id) => shop.getOrderStatus(id)));
    expect(statuses).toEqual(['completed', 'completed', 'completed', 'pending']);
    for (const { resource } of plain) expect(await shop.getNumbers(resource.id)).toHaveLength(1);
    // What later tests put on sale is not for this one.
    expect((await shop.client.delete(`/orders/${backOrder.resource.id}`)).status).toBe(204);
  });

  test('a process with a worker completes what it accepts, and no job is left', async () => {
    await shop.stock('london', 2);
    const receiver = await startReceiver();
    const worker = await startQuietWorker(shop.env, runFulfilOrder);
    const jobs = `select count(*)::int as n from jobs where task = 'orders.fulfil'`;
    const callback = { callback_url: receiver.url, callback_method: 'post' };
    try {
      await runDueJobs(shop.env);
      const { resource: plain } = await shop.postOrder(item());
      // Before the answer.
      expect([plain.attributes.status, await shop.getOrderStatus(plain.id)]).toEqual(['pending', 'completed']);
      const { resource: announced } = await shop.postOrder(item(), callback);
      expect(announced.attributes.status).toBe('pending');
      await expect.poll(() => shop.getOrderStatus(announced.id)).toBe('completed');
      await expect.poll(async () => (await shop.env.pool.query(jobs)).rows).toEqual([{ n: 0 }]);
      for (const { id } of [plain, announced]) expect(await shop.getNumbers(id)).toHaveLength(1);
    } finally {
      await worker.stop();
      await receiver.close();
    }
  });
});

test('the response is what GET shows while the order is pending', async () => {
  await shop.stock('london', 6);
  const some = () => [didItem({ sku_id: shop.skus.london, qty: 2 })];
  const chosen = async () => [
    didItem({ sku_id: shop.skus.london, available_did_id: await shop.availableDid('london') }),
  ];
  const callback = { callback_url: 'http://127.0.0.1:9/', callback_method: 'post' };
  for (const response of [
    await shop.postOrder([...some(), ...(await chosen())], { external_reference_id: 'po-18', ...callback }),
    await shop.postOrder(some()),
    await shop.postOrder(await chosen(), {}, { 'idempotency-key': 'once' }),
  ]) {
    expect((await shop.client.get(`/orders/${response.resource.id}`)).resource).toEqual(response.resource);
  }
});

describe('an order leaves the same rows, completed before its answer or later', () => {
  /** All that one order wrote, without ids, names and numbers of its own. */
  async function rowsOf(accountId: string): Promise<unknown> {
    const { rows } = await shop.env.pool.query(
      `select
        (select json_agg(json_build_array(o.status, o.amount, o.refunded, o.vat_rate, o.created_at, o.finished_at)) from orders o
          where o.account_id = $1) as orders,
        (select json_agg(to_jsonb(i) - 'order_id' order by i.position) from order_items i join orders o on o.id = i.order_id
          where o.account_id = $1) as items,
        (select json_agg(to_jsonb(d) - array['id', 'account_id', 'order_id', 'number'] order by d.order_position) from dids d
          where d.account_id = $1) as dids,
        (select json_agg(json_build_array(h.action, h.method, h.created_at)) from did_history h where h.account_id = $1) as history,
        (select json_object_agg(s.ledger, s.sum) from (
          select e.ledger, sum(e.amount) from ledger_entries e where e.account_id = $1 group by 1 having sum(e.amount) <> 0) s) as ledgers,
        (select json_object_agg(s.list || ' ' || s.part, s.sum) from (
          select e.list, e.part, sum(e.n) from (
            select c.list, c.part, c.entries as n from owned_counts c where c.account_id = $1
            union all
            select h.list, p.part, h.change from owned_count_changes h, unnest(h.parts) as p (part) where h.account_id = $1) e
          where e.part = '' or e.part ~ '^(status|awaiting_registration|blocked|did_group)'
          group by 1, 2 having sum(e.n) <> 0) s) as counts,
        (select json_agg(distinct j.run_at) from jobs j where j.key like '%' || $1::text) as jobs`,
      [accountId],
    );
    return rows[0];
  }

  test.each([
    ['a number', () => [didItem({ sku_id: shop.skus.london })]],
    ['numbers that need a registration', () => [didItem({ sku_id: shop.skus.registered, qty: 2 })]],
    ['something free', () => [didItem({ sku_id: shop.skus.free })]],
    [
      'several groups, with ends',
      () => [
        didItem({ sku_id: shop.skus.registered }),
        didItem({ sku_id: shop.skus.newyork, nanpa_prefix_id: shop.nanpaPrefixId, billing_cycles_count: 3 }),
        didItem({ sku_id: shop.skus.london, qty: 3 }),
      ],
    ],
  ])('%s', async (_name, items) => {
    for (const group of ['london', 'registered', 'newyork'] as const) await shop.stock(group, 8);
    const byJob = await shop.addAccount({ balance: '100', vatRate: '21' });
    expect((await postOrder(byJob.client, items())).status).toBe(201);
    await runDueJobs(shop.env);
    const atOnce = await shop.addAccount({ balance: '100', vatRate: '21' });
    const worker = await startQuietWorker(shop.env, runFulfilOrder);
    try {
      const { resource } = await postOrder(atOnce.client, items());
      expect(await shop.env.pool.query('select status from orders where id = $1', [resource.id])).toMatchObject({
        rows: [{ status: 'completed' }],
      });
    } finally {
      await worker.stop();
    }
    expect(await rowsOf(atOnce.accountId)).toEqual(await rowsOf(byJob.accountId));
    await shop.expectCleanBooks();
  });
});

test('the response is pending, however soon another process completes the order', async () => {
  await shop.stock('london', 1);
  // Sooner than any job: at the commit itself.
  await shop.env.pool.query(`
    create function done() returns trigger language plpgsql as $$
      begin update orders set status = 'completed', finished_at = created_at where id = new.id; return null; end $$;
    create constraint trigger done after insert on orders deferrable initially deferred
      for each row execute function done()`);
  const { resource } = await shop.postOrder([didItem({ sku_id: shop.skus.london })]);
  await shop.env.pool.query('drop function done cascade');
  expect(resource.attributes).toMatchObject({ status: 'pending', items: [{ attributes: { billed_from: null } }] });
  expect(await shop.getOrderStatus(resource.id)).toBe('completed');
});

test('a reference that is taken is replaced by another, with and without a transaction around', async () => {
  await shop.stock('london', 3);
  const items = [didItem({ sku_id: shop.skus.london })];
  const { reference } = (await shop.postOrder(items)).resource.attributes;
  await shop.env.pool.query(`
    create sequence attempts;
    create function take_reference() returns trigger language plpgsql as $$
      begin if nextval('attempts') % 2 = 1 then new.reference := '${reference}'; end if; return new; end $$;
    create trigger take_reference before insert on orders for each row execute function take_reference()`);
  try {
    for (const headers of [{}, { 'idempotency-key': 'taken' }]) {
      const { resource } = await shop.postOrder(items, {}, headers);
      expect(resource.attributes.reference).not.toBe(reference);
      expect((await shop.client.get(`/orders/${resource.id}`)).resource).toEqual(resource);
    }
    expect((await shop.env.pool.query(`select last_value::int as attempts from attempts`)).rows).toEqual([
      { attempts: 4 },
    ]);
  } finally {
    await shop.env.pool.query('drop function take_reference cascade; drop sequence attempts');
  }
});
