import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Environment } from '../../environment.ts';
import { handle } from '../../jobs/handler.ts';
import { formatTrimmed, parseAmount, toSql } from '../../money/decimal.ts';
import { type ChargeResult, charge } from '../../money/ledger.ts';
import { withVat } from '../../money/prices.ts';
import { dayBefore, dayOf, monthsLater } from '../dids/billing-period.ts';
import { insertOrder } from '../orders/insert-order.ts';
import { type LockedPool, lockPool } from './lock-pool.ts';
import { renewPoolTask } from './tasks.ts';

/** Once a month, at the pool's renew_date, all its channels are paid for the month that begins. */
export const renewPool = handle(renewPoolTask, async ({ capacity_pool_id: id }, { env }) => {
  // After a standstill of the worker several months may be due.
  while (await renewOnce(env, id));
});

/** True when the pool was due and has been renewed. */
function renewOnce(env: Environment, id: string): Promise<boolean> {
  return inTransaction(env.db, async (trx) => {
    const now = env.clock.now();
    const pool = await lockPool(trx, id, null);
    if (!pool) return false;
    if (pool.renew_date > dayOf(now)) {
      await lookAgain(trx, env, id, pool.renew_date);
      return false;
    }
    if ((await renewMonth(trx, env, pool, now)).ok) return true;
    // Its channels carry no calls until the customer can pay; tried once a day.
    await trx.updateTable('capacity_pools').set({ suspended: true }).where('id', '=', id).execute();
    await lookAgain(trx, env, id, dayOf(new Date(now.getTime() + 86_400_000)));
    return false;
  });
}

/** Pays for the month that is due, for all channels, and moves the pool to its end; nothing changes when it cannot be paid. */
export async function renewMonth(
  trx: Kysely<Schema>,
  env: Environment,
  pool: LockedPool,
  now: Date,
): Promise<ChargeResult> {
  const month = dueMonth(pool, now);
  const paid = await pay(trx, pool, month);
  if (!paid.ok) return paid;
  await trx
    .updateTable('capacity_pools')
    .set({ renew_date: month.ends, renew_day: month.renewDay, suspended: false })
    .where('id', '=', pool.id)
    .execute();
  await lookAgain(trx, env, pool.id, month.ends);
  return paid;
}

interface Month {
  begins: string;
  ends: string;
  renewDay: number;
  at: Date;
}

/** Months follow each other, but a pool that was suspended begins anew on the day it is paid. */
function dueMonth(pool: LockedPool, now: Date): Month {
  const begins = pool.suspended ? dayOf(now) : pool.renew_date;
  const renewDay = pool.suspended ? Number(begins.slice(8)) : pool.renew_day;
  const at = pool.suspended ? now : new Date(`${begins}T00:00:00Z`);
  return { begins, ends: monthsLater(begins, 1, renewDay), renewDay, at };
}

async function pay(trx: Kysely<Schema>, pool: LockedPool, { begins, ends, at }: Month): Promise<ChargeResult> {
  const channels = pool.total_channels_count;
  if (channels === 0) return { ok: true };
  const monthly = withVat(parseAmount(pool.priceFor(channels).monthly_price), pool.vat_rate);
  const amount = monthly * BigInt(channels);
  const orderId = randomUUID();
  const movement = { accountId: pool.account_id, amount: formatTrimmed(amount), at, orderId };
  const paid = await charge(trx, { ...movement, cause: 'pool_renewal', reference: pool.id, occasion: begins });
  if (!paid.ok) return paid;
  const order = { id: orderId, account_id: pool.account_id, kind: 'capacity', description: 'Capacity' } as const;
  const nothing = { callback_url: null, callback_method: null, external_reference_id: null, sealed_signing_key: null };
  await insertOrder(trx, { ...order, ...nothing, amount, status: 'completed', created_at: at, finished_at: at }, [
    {
      type: 'capacity_order_items',
      qty: channels,
      nrc: '0',
      mrc: toSql(monthly),
      billed_from: begins,
      billed_to: dayBefore(ends),
      capacity_pool_id: pool.id,
      did_group_id: null,
      sku_id: null,
      nanpa_prefix_id: null,
      billing_cycles_count: null,
      emergency_calling_service_id: null,
    },
  ]);
  return paid;
}

function lookAgain(trx: Kysely<Schema>, env: Environment, id: string, day: string): Promise<void> {
  const options = { at: new Date(`${day}T00:00:00Z`), key: `${renewPoolTask.name}:${id}` };
  return env.jobs.add(trx, renewPoolTask, { capacity_pool_id: id }, options);
}
