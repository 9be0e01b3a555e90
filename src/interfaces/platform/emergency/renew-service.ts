/**
 * Charges emergency calling services by the month: the first on approval, each later one by a job on the renew_date.
 */

import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { dayAfter, dayOf, daysBetween, monthsLater, startOf } from '../../../business/billing/calendar.ts';
import { areRenewalsHeld, chargePeriod } from '../../../business/billing/charge-period.ts';
import { announceOrder, noCallback, type OrderCallback } from '../../../business/billing/insert-order.ts';
import { listPrice } from '../../../business/billing/vat.ts';
import { free, parseAmount } from '../../../business/money/decimal.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { endService, renewServiceTask } from './emergency-calling-services.writes.ts';

/** For how many days a service that is not paid continues, so that emergency calls do not stop overnight. */
const graceDays = 7;

/** Thrown to roll back the transaction of a month that cannot be paid. */
export class CannotPay extends Error {}

export const renewService = handle(
  renewServiceTask,
  async ({ emergency_calling_service_id: id }, { env }: TaskContext<Environment>) => {
    try {
      // If the worker was stopped for long, several months may be due.
      while (await renewOnce(env, id));
    } catch (error) {
      if (!(error instanceof CannotPay)) throw error;
      await retryOrEnd(env, id);
    }
  },
);

/** Returns true if a month was due and has been paid. */
function renewOnce(env: Environment, id: string): Promise<boolean> {
  return inTransaction(env.db, async (trx) => {
    const service = await findRunning(trx, id);
    if (!service?.renew_date || service.renew_date > dayOf(env.clock.now())) return false;
    if (await areRenewalsHeld(trx, service.account_id)) {
      await scheduleRenewal(trx, env, id, dayAfter(dayOf(env.clock.now())));
      return false;
    }
    const { qty } = await trx
      .selectFrom('dids')
      .select((eb) => eb.fn.countAll<number>().as('qty'))
      .where('emergency_calling_service_id', '=', id)
      .where('terminated', '=', false)
      .executeTakeFirstOrThrow();
    // Canceled numbers are not charged, and a service that has only those ends.
    if (Number(qty) === 0) {
      await endService(trx, env, id);
      return false;
    }
    const from = service.renew_date;
    const to = monthsLater(from, 1, service.activated_at?.getUTCDate());
    const month = { service, qty: Number(qty), from, to, at: startOf(from), first: false, callback: noCallback };
    const orderId = await chargeMonth(trx, env, month);
    await trx
      .updateTable('emergency_calling_services')
      .set({ renew_date: to, order_id: orderId })
      .where('id', '=', id)
      .execute();
    await scheduleRenewal(trx, env, id, to);
    return true;
  });
}

/** Tries again the next day, or ends the service after the grace period. */
async function retryOrEnd(env: Environment, id: string): Promise<void> {
  await inTransaction(env.db, async (trx) => {
    const service = await findRunning(trx, id);
    if (!service?.renew_date) return;
    const today = dayOf(env.clock.now());
    if (daysBetween(service.renew_date, today) >= graceDays) await endService(trx, env, id);
    else await scheduleRenewal(trx, env, id, dayAfter(today));
  });
}

function findRunning(trx: Kysely<Schema>, id: string) {
  return trx
    .selectFrom('emergency_calling_services')
    .selectAll()
    .where('id', '=', id)
    .where('status', 'in', ['active', 'pending_update'])
    .forUpdate()
    .executeTakeFirst();
}

export function scheduleRenewal(trx: Kysely<Schema>, env: Environment, id: string, day: string): Promise<void> {
  const options = { at: startOf(day), key: `${renewServiceTask.name}:${id}` };
  return env.jobs.add(trx, renewServiceTask, { emergency_calling_service_id: id }, options);
}

interface ServiceMonth {
  service: Pick<
    Selectable<Schema['emergency_calling_services']>,
    'id' | 'account_id' | 'setup_price' | 'monthly_price'
  >;
  /** The number of numbers to charge for. */
  qty: number;
  from: string;
  to: string;
  at: Date;
  /** The first month includes the setup price. */
  first: boolean;
  callback: OrderCallback;
}

/** Returns the order's id. Throws `CannotPay`, which rolls back everything, also the callback. */
export async function chargeMonth(trx: Kysely<Schema>, env: Environment, month: ServiceMonth): Promise<string> {
  const { service, qty, from, to, at, first, callback } = month;
  const { vat_rate } = await trx
    .selectFrom('accounts')
    .select('vat_rate')
    .where('id', '=', service.account_id)
    .executeTakeFirstOrThrow();
  const id = randomUUID();
  // Before the charge, because the account's row is always locked last.
  await announceOrder(trx, env, { id, account_id: service.account_id, status: 'completed', ...callback });
  const paid = await chargePeriod(trx, {
    accountId: service.account_id,
    at,
    cause: first ? 'emergency' : 'emergency_renewal',
    reference: service.id,
    occasion: from,
    order: { id, kind: 'emergency', description: 'Emergency', callback },
    item: {
      type: 'emergency_order_items',
      qty,
      setup: first ? listPrice(parseAmount(service.setup_price), vat_rate) : free(vat_rate),
      monthly: listPrice(parseAmount(service.monthly_price), vat_rate),
      billed_from: from,
      billed_to: to,
      emergency_calling_service_id: service.id,
    },
  });
  if (!paid.ok) throw new CannotPay();
  return id;
}
