/** Adds channels to pools: completed at once, with the month prorated to the pool's renewal. */
import type { Kysely } from 'kysely';
import { dayBefore, dayOf, daysBetween, monthsLater } from '../../../business/billing/calendar.ts';
import { announceOrder, insertOrder, type NewOrderItem, totalOf } from '../../../business/billing/insert-order.ts';
import { partOfMonth } from '../../../business/billing/vat.ts';
import { charge } from '../../../business/money/ledger.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { TypedObject } from '../../../engines/jsonapi/parse-object.ts';
import { type LockedPool, lockPool } from '../capacity/capacity-pools.writes.ts';
import { renewMonth } from '../capacity/renew-pool.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { requirePaid } from '../refusals.ts';
import { newOrder } from './new-order.ts';
import type { OrderAttributes } from './orders.members.ts';

export async function createCapacityOrder(context: PlatformContext, attributes: OrderAttributes): Promise<string> {
  const { db, env, now } = context;
  return inTransaction(db, async (trx) => {
    const items = await addChannels(trx, context, attributes.items);
    const kind = { kind: 'capacity', description: 'Capacity', status: 'completed' } as const;
    const order = newOrder(context, attributes, kind);
    await insertOrder(trx, order, items);
    await announceOrder(trx, env, order);
    const { id, account_id: accountId } = order;
    const movement = { accountId, at: now, cause: 'order', reference: id, orderId: id } as const;
    requirePaid(await charge(trx, movement, totalOf(items)));
    return id;
  });
}

async function addChannels(
  trx: Kysely<Schema>,
  context: PlatformContext,
  items: readonly TypedObject[],
): Promise<NewOrderItem[]> {
  const requested = items.map(({ attributes }, position) => ({
    position,
    poolId: String(attributes.capacity_pool_id).toLowerCase(),
    qty: typeof attributes.qty === 'number' ? attributes.qty : 1,
  }));
  const bought = new Map<number, NewOrderItem>();
  // Pools are locked in one order, so that parallel orders cannot deadlock.
  for (const item of requested.toSorted((a, b) => (a.poolId < b.poolId ? -1 : 1)))
    bought.set(item.position, await buy(trx, context, item));
  return requested.flatMap(({ position }) => bought.get(position) ?? []);
}

interface RequestedChannels {
  position: number;
  poolId: string;
  qty: number;
}

async function buy(trx: Kysely<Schema>, context: PlatformContext, item: RequestedChannels): Promise<NewOrderItem> {
  const { position, poolId, qty } = item;
  const pool = await lockPaidPool(trx, context, poolId);
  if (!pool) refuse(invalid.item('items', position, 'capacity_pool_id', messages.invalid));
  if (qty < pool.minimum_qty_per_order) {
    refuse(invalid.item('items', position, 'qty', messages.shouldBeAtLeast(pool.minimum_qty_per_order)));
  }
  const total = pool.total_channels_count + qty;
  const price = pool.priceFor(total);
  const today = dayOf(context.now);
  const days = daysBetween(today, pool.renew_date);
  const cycleDays = daysBetween(monthsLater(pool.renew_date, -1, pool.renew_day), pool.renew_date);
  await trx.updateTable('capacity_pools').set({ total_channels_count: total }).where('id', '=', poolId).execute();
  return {
    type: 'capacity_order_items',
    qty,
    setup: price.setup,
    monthly: partOfMonth(price.monthly, days, cycleDays),
    isProrated: days < cycleDays,
    billed_from: today,
    billed_to: dayBefore(pool.renew_date),
    capacity_pool_id: poolId,
  };
}

/** Charges a due month before channels are added, so that they are prorated to the end of a month that has begun. */
async function lockPaidPool(trx: Kysely<Schema>, context: PlatformContext, id: string): Promise<LockedPool | null> {
  for (;;) {
    const pool = await lockPool(trx, id, callerOf(context).accountId);
    if (!pool || pool.renew_date > dayOf(context.now)) return pool;
    requirePaid(await renewMonth(trx, context.env, pool, context.now));
  }
}
