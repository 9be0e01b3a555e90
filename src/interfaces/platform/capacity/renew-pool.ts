/** Renews the channels of a capacity pool each month. */
import type { Kysely } from 'kysely';
import { dayAfter, dayBefore, dayOf, monthsLater, startOf } from '../../../business/billing/calendar.ts';
import { areRenewalsHeld, chargePeriod } from '../../../business/billing/charge-period.ts';
import { free } from '../../../business/money/decimal.ts';
import type { ChargeResult } from '../../../business/money/ledger.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { type LockedPool, lockPool } from './capacity-pools.writes.ts';

/** Also added by SQL, for a new pool (`give_pool`). */
const renewPoolTask = defineTask<{ capacity_pool_id: string }>('capacity.renew', { priority: 'background' });

/** Renews a pool at its renew_date: charges all channels for the month that begins. */
export const renewPool = handle(renewPoolTask, async ({ capacity_pool_id: id }, { env }: TaskContext<Environment>) => {
  // Several months may be due after the worker did not run for a while.
  while (await renewOnce(env, id));
});

/** Returns true if the pool was due and was renewed. */
function renewOnce(env: Environment, id: string): Promise<boolean> {
  return inTransaction(env.db, async (trx) => {
    const now = env.clock.now();
    const pool = await lockPool(trx, id, null);
    if (!pool) return false;
    if (pool.renew_date > dayOf(now)) {
      await scheduleRenewal(trx, env, id, pool.renew_date);
      return false;
    }
    if (await areRenewalsHeld(trx, pool.account_id)) {
      await scheduleRenewal(trx, env, id, dayAfter(dayOf(now)));
      return false;
    }
    if ((await renewMonth(trx, env, pool, now)).ok) return true;
    // Its channels carry no calls until the customer can pay; retried once a day.
    await trx.updateTable('capacity_pools').set({ suspended: true }).where('id', '=', id).execute();
    await scheduleRenewal(trx, env, id, dayAfter(dayOf(now)));
    return false;
  });
}

/** Charges the due month for all channels and sets the next renew_date; changes nothing if it cannot be paid. */
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
  await scheduleRenewal(trx, env, pool.id, month.ends);
  return paid;
}

interface Month {
  begins: string;
  ends: string;
  renewDay: number;
  at: Date;
}

/** Months are consecutive, but a suspended pool starts again on the day it is paid. */
function dueMonth(pool: LockedPool, now: Date): Month {
  const begins = pool.suspended ? dayOf(now) : pool.renew_date;
  const renewDay = pool.suspended ? Number(begins.slice(8)) : pool.renew_day;
  const at = pool.suspended ? now : startOf(begins);
  return { begins, ends: monthsLater(begins, 1, renewDay), renewDay, at };
}

async function pay(trx: Kysely<Schema>, pool: LockedPool, { begins, ends, at }: Month): Promise<ChargeResult> {
  const channels = pool.total_channels_count;
  if (channels === 0) return { ok: true };
  const { monthly } = pool.priceFor(channels);
  return chargePeriod(trx, {
    accountId: pool.account_id,
    at,
    cause: 'pool_renewal',
    reference: pool.id,
    occasion: begins,
    order: { kind: 'capacity', description: 'Capacity' },
    item: {
      type: 'capacity_order_items',
      qty: channels,
      setup: free(monthly.vatRate),
      monthly,
      billed_from: begins,
      billed_to: dayBefore(ends),
      capacity_pool_id: pool.id,
    },
  });
}

function scheduleRenewal(trx: Kysely<Schema>, env: Environment, id: string, day: string): Promise<void> {
  const options = { at: startOf(day), key: `${renewPoolTask.name}:${id}` };
  return env.jobs.add(trx, renewPoolTask, { capacity_pool_id: id }, options);
}
