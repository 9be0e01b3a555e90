/** What a number that leaves its account before its time is still worth. */
import type { Kysely } from 'kysely';
import { dayOf, daysBetween, endOfPeriods } from '../../billing/calendar.ts';
import type { OrderPart } from '../../billing/give-back.ts';
import { storedPrice } from '../../billing/insert-order.ts';
import { partOfMonth } from '../../billing/vat.ts';
import type { Schema } from '../../db/schema.ts';
import { plus, type Taxed } from '../../money/taxed.ts';
import { periodOrderOf } from './charge-month.ts';
import type { OwnedDid, PaidPrice } from './owned-did.ts';

export type PaidNumber = Pick<
  OwnedDid,
  'account_id' | 'number' | 'awaiting_registration' | 'activated_at' | 'billed_since' | 'periods' | 'expires_at'
> & { paid: PaidPrice };

export interface UnusedTime {
  price: Taxed;
  /** The later order that paid the running month; null while that is still the number's own order. */
  paidBy: OrderPart | null;
}

/**
 * The unused days of the month that is running, today included, without the setup. A number that waits for its
 * registration could not be used at all, so it is worth everything that was paid for it.
 */
export async function unusedTime(trx: Kysely<Schema>, did: PaidNumber, now: Date): Promise<UnusedTime> {
  const { setup, monthly } = did.paid;
  if (did.awaiting_registration || !did.billed_since || !did.expires_at) {
    return { price: plus(setup, monthly), paidBy: null };
  }
  const begins = endOfPeriods(did.billed_since, did.periods - 1);
  // Most numbers are in their first month, and need no look at the account's orders.
  const later = begins.getTime() === did.activated_at?.getTime() ? null : await laterPeriod(trx, did, begins);
  const monthDays = daysBetween(dayOf(begins), dayOf(did.expires_at));
  const days = Math.min(Math.max(daysBetween(dayOf(now), dayOf(did.expires_at)), 0), monthDays);
  return { price: partOfMonth(later?.monthly ?? monthly, days, monthDays), paidBy: later?.order ?? null };
}

/** The renewal or restoration that began a month; null for the first one. */
async function laterPeriod(
  trx: Kysely<Schema>,
  { account_id, number }: PaidNumber,
  begins: Date,
): Promise<{ monthly: Taxed; order: OrderPart } | null> {
  const row = await trx
    .selectFrom('orders as o')
    .innerJoin('order_items as i', 'i.order_id', 'o.id')
    .select(['o.id', 'o.vat_rate', 'i.position', 'i.mrc', 'i.mrc_vat'])
    .where('o.account_id', '=', account_id)
    .where('o.created_at', '=', begins)
    .where('o.kind', '=', 'generic')
    .where('o.description', 'in', [periodOrderOf('renewal', number), periodOrderOf('restoration', number)])
    .executeTakeFirst();
  if (!row) return null;
  const order = { orderId: row.id, position: row.position, isPending: false };
  return { monthly: storedPrice(row.mrc, row.mrc_vat, row.vat_rate), order };
}
