import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { announceOrder } from '../../billing/announce-order.ts';
import { dayBefore, dayOf, daysBetween, monthsLater } from '../../billing/calendar.ts';
import { insertOrder, type NewOrderItem, totalOf } from '../../billing/insert-order.ts';
import { partOfMonth } from '../../billing/vat.ts';
import { sealSigningKey } from '../../callbacks/signing-key.ts';
import type { Schema } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { TypedObject } from '../../jsonapi/parse-object.ts';
import { charge } from '../../money/ledger.ts';
import { type LockedPool, lockPool } from '../capacity/lock-pool.ts';
import { renewMonth } from '../capacity/renew-pool.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { requirePaid } from '../require-paid.ts';
import { knownOrder, rememberOrder } from './idempotency.ts';
import type { OrderAttributes } from './order-attributes.ts';

/** Adds channels to pools: complete at once, the month prorated to the pool's renewal. */
export async function createCapacityOrder(context: PlatformContext, attributes: OrderAttributes): Promise<string> {
  const { env, now } = context;
  const { accountId, signingKey } = callerOf(context);
  const { callback_url = null, callback_method = null, external_reference_id = null } = attributes;
  return inTransaction(env.db, async (trx) => {
    const known = await knownOrder(trx, context, attributes);
    if (known !== null) return known;
    const items = await addChannels(trx, context, attributes.items);
    const id = randomUUID();
    const order = {
      id,
      account_id: accountId,
      kind: 'capacity',
      description: 'Capacity',
      status: 'completed',
      callback_url,
      callback_method,
      sealed_signing_key: callback_url === null ? null : sealSigningKey(env, signingKey),
    } as const;
    await insertOrder(trx, { ...order, external_reference_id, created_at: now }, items);
    await rememberOrder(trx, context, attributes, id);
    await announceOrder(trx, env, order);
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
  const wishes = items.map(({ attributes }, position) => ({
    position,
    poolId: String(attributes.capacity_pool_id).toLowerCase(),
    qty: typeof attributes.qty === 'number' ? attributes.qty : 1,
  }));
  const bought = new Map<number, NewOrderItem>();
  // Pools are locked in one order, so that two orders never wait for each other in a circle.
  for (const wish of wishes.toSorted((a, b) => (a.poolId < b.poolId ? -1 : 1)))
    bought.set(wish.position, await buy(trx, context, wish));
  return wishes.flatMap(({ position }) => bought.get(position) ?? []);
}

interface Wish {
  position: number;
  poolId: string;
  qty: number;
}

async function buy(trx: Kysely<Schema>, context: PlatformContext, wish: Wish): Promise<NewOrderItem> {
  const { position, poolId, qty } = wish;
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

/** A month that is due is paid before more channels join the pool: they are prorated to the end of a month that has begun. */
async function lockPaidPool(trx: Kysely<Schema>, context: PlatformContext, id: string): Promise<LockedPool | null> {
  for (;;) {
    const pool = await lockPool(trx, id, callerOf(context).accountId);
    if (!pool || pool.renew_date > dayOf(context.now)) return pool;
    requirePaid(await renewMonth(trx, context.env, pool, context.now));
  }
}
