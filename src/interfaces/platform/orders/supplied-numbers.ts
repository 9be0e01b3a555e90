/** What the end of a purchase at a supplier means to the customer's order that wanted its number. */
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Purchase } from '../../../business/suppliers/purchases/states.ts';
import type { Blame } from '../../../business/suppliers/purchases/steps.ts';
import { obtainTask } from '../../../business/suppliers/purchases/tasks.ts';
import type { HeldNumber } from '../../../business/suppliers/supplier.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';
import { jobActor } from '../../../engines/jobs/task.ts';
import { methodOf } from '../dids/did-history.ts';
import { cancelPendingOrder } from './cancel-order.ts';
import { fulfilOrderTask } from './fulfil-orders.ts';
import { setAside } from './take-numbers.ts';

type Order = Selectable<Schema['orders']>;

/** Locks the order until the transaction ends. Null if it is only a reservation, or the order has ended. */
export async function forOrderOf(trx: Kysely<Schema>, { order_id }: Purchase): Promise<Order | null> {
  if (order_id === null) return null;
  const order = await trx.selectFrom('orders').selectAll().where('id', '=', order_id).forUpdate().executeTakeFirst();
  return order?.status === 'pending' ? order : null;
}

interface Refused {
  readonly purchase: Purchase;
  readonly order: Order;
  readonly blame: Blame;
  readonly reason: string;
}

/** So many numbers of one order may be gone at suppliers before it is given up. */
const mostReplaced = 20;

/** Another number takes the place of one that nobody has chosen; otherwise the order is canceled, and paid back. */
export async function replaceOrCancel(trx: Kysely<Schema>, env: Environment, refused: Refused): Promise<void> {
  const { purchase, order, blame, reason } = refused;
  const now = env.clock.now();
  if (blame === 'number' && purchase.number !== null && (await mayBeReplaced(trx, purchase))) {
    await sql`
      delete from dids where order_id = ${order.id} and number = ${purchase.number} and activated_at is null`.execute(
      trx,
    );
    await sql`
      update order_items set missing = missing + 1
      where order_id = ${order.id} and position = ${purchase.order_position}`.execute(trx);
    await env.jobs.add(trx, fulfilOrderTask, { order_id: order.id });
    return;
  }
  const method = methodOf(jobActor(obtainTask));
  await cancelPendingOrder(trx, env, order, { method, now, because: reason });
}

async function mayBeReplaced(trx: Kysely<Schema>, { order_id, order_position }: Purchase): Promise<boolean> {
  const { rows } = await sql<{ is_chosen: boolean; refused: number }>`
    select i.is_chosen, (select count(*)::int from supplier_purchases p
      where p.order_id = i.order_id and p.state = 'refused') as refused
    from order_items i where i.order_id = ${order_id} and i.position = ${order_position}`.execute(trx);
  const [item] = rows;
  return item !== undefined && !item.is_chosen && item.refused <= mostReplaced;
}

interface Delivered {
  readonly purchase: Purchase;
  readonly order: Order;
  readonly numbers: readonly HeldNumber[];
}

/** Numbers that the supplier chose: from now on each is a purchase of its own. */
export async function receiveChosenByThem(
  trx: Kysely<Schema>,
  env: Environment,
  { purchase, order, numbers }: Delivered,
): Promise<void> {
  const now = env.clock.now();
  const item = await trx
    .selectFrom('order_items as i')
    .innerJoin('stock_keeping_units as s', 's.id', 'i.sku_id')
    .select(['i.missing', 'i.position', 'i.billing_cycles_count', 's.id as skuId', 's.did_group_id'])
    .select('s.channels_included_count')
    .where('i.order_id', '=', order.id)
    .where('i.position', '=', purchase.order_position)
    .executeTakeFirstOrThrow();
  // What they sold beyond that is found by the comparison of the books.
  const received = numbers.slice(0, Math.min(purchase.qty, item.missing));
  const texts = received.map(({ number }) => number);
  await sql`delete from supplied_numbers where number = any(${texts}::text[])`.execute(trx);
  await sql`delete from available_dids where number = any(${texts}::text[])`.execute(trx);
  const common = {
    supplier_id: purchase.supplier_id,
    supplier_group_id: purchase.supplier_group_id,
    order_id: order.id,
    order_position: item.position,
    their_offer_id: purchase.their_offer_id,
    their_order_id: purchase.their_order_id,
    state: 'obtained' as const,
    created_at: now,
    changed_at: now,
  };
  const rows = received.map(({ id, number, expiresAt }) => ({
    ...common,
    number,
    their_did_id: id,
    expires_there: expiresAt,
  }));
  if (rows.length > 0) await trx.insertInto('supplier_purchases').values(rows).execute();
  const place = {
    orderId: order.id,
    accountId: order.account_id,
    now,
    position: item.position,
    groupId: item.did_group_id,
    skuId: item.skuId,
    channelsIncludedCount: item.channels_included_count,
    billingCyclesCount: item.billing_cycles_count,
  };
  await setAside(
    trx,
    place,
    texts.map((number) => ({ number, nanpa_prefix_id: null })),
  );
  await sql`
    update order_items set missing = missing - ${received.length}
    where order_id = ${order.id} and position = ${item.position}`.execute(trx);
  await followWishes(trx, order.id);
}

/** Numbers that were bought for a single period end there with it. */
export async function followWishes(trx: Kysely<Schema>, orderId: string): Promise<void> {
  await sql`
    with wished as (
      update supplier_purchases p set life = life_of(d.terminated, d.billing_cycles_count) from dids d
      where p.order_id = ${orderId} and p.state = 'obtained' and d.number = p.number and d.order_id = p.order_id
        and p.life <> life_of(d.terminated, d.billing_cycles_count)
      returning p.id, p.supplier_id
    )
    select follow_number(id, supplier_id) from wished`.execute(trx);
}
