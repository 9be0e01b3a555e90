/**
 * Charges the months of a number after its first, and refunds the unused time of a number that leaves its account
 * early.
 */
import { type Kysely, sql } from 'kysely';
import { dayOf, daysBetween, endOfPeriods } from '../../../business/billing/calendar.ts';
import { chargePeriod, giveBack, type OrderPart } from '../../../business/billing/charge-period.ts';
import { storedPrice } from '../../../business/billing/insert-order.ts';
import { partOfMonth } from '../../../business/billing/vat.ts';
import { free, plus, type Taxed } from '../../../business/money/decimal.ts';
import type { ChargeResult } from '../../../business/money/ledger.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { OwnedDid, PaidPrice } from './owned-did.ts';

/** Description of the order that shows a later month of a number; refunds find the order by it. */
const periodOrderOf = (cause: 'renewal' | 'restoration', number: string): string => `DID ${cause} ${number}`;

/** Charges one more month of a number, from `begins` to its next `expires_at`. */
export function chargeMonth(
  trx: Kysely<Schema>,
  did: OwnedDid,
  cause: 'renewal' | 'restoration',
  { begins, ends }: { begins: Date; ends: Date },
): Promise<ChargeResult> {
  return chargePeriod(trx, {
    accountId: did.account_id,
    at: begins,
    cause,
    reference: did.id,
    occasion: begins.toISOString(),
    order: { kind: 'generic', description: periodOrderOf(cause, did.number) },
    item: {
      type: 'generic_order_items',
      qty: 1,
      setup: free(did.monthlyPrice.vatRate),
      monthly: did.monthlyPrice,
      billed_from: dayOf(begins),
      billed_to: dayOf(ends),
    },
  });
}

/** Refunds the unused time of a number, and removes the number from its order if that is still pending. */
export async function refundNumber(trx: Kysely<Schema>, did: OwnedDid, now: Date): Promise<void> {
  const { price, paidBy } = await unusedTime(trx, did, now);
  if (did.order_pending) await declineNumber(trx, did);
  const own = { orderId: did.order_id, position: did.order_position, isPending: did.order_pending };
  const movement = { cause: 'refund', reference: did.id, accountId: did.account_id, at: now } as const;
  await giveBack(trx, paidBy ?? own, movement, price);
}

/** Removes the number from its pending order, so that the order does not get the same number again. */
async function declineNumber(trx: Kysely<Schema>, did: OwnedDid): Promise<void> {
  await trx
    .updateTable('order_items')
    .set({ declined: sql<string[]>`array_append(declined, ${did.number}::text)` })
    .where('order_id', '=', did.order_id)
    .where('position', '=', did.order_position)
    .execute();
}

type PaidNumber = Pick<
  OwnedDid,
  'account_id' | 'number' | 'awaiting_registration' | 'activated_at' | 'billed_since' | 'periods' | 'expires_at'
> & { paid: PaidPrice };

interface UnusedTime {
  price: Taxed;
  /** The later order that paid the current month; null if the number's own order paid it. */
  paidBy: OrderPart | null;
}

/**
 * The unused days of the current month, including today, without the setup price. A number that waits for its
 * registration could not be used, so all that was paid for it counts.
 */
export async function unusedTime(trx: Kysely<Schema>, did: PaidNumber, now: Date): Promise<UnusedTime> {
  const { setup, monthly } = did.paid;
  if (did.awaiting_registration || !did.billed_since || !did.expires_at) {
    return { price: plus(setup, monthly), paidBy: null };
  }
  const begins = endOfPeriods(did.billed_since, did.periods - 1);
  // Most numbers are in their first month; only the others need a query for later orders.
  const later = begins.getTime() === did.activated_at?.getTime() ? null : await laterPeriod(trx, did, begins);
  const monthDays = daysBetween(dayOf(begins), dayOf(did.expires_at));
  const days = Math.min(Math.max(daysBetween(dayOf(now), dayOf(did.expires_at)), 0), monthDays);
  return { price: partOfMonth(later?.monthly ?? monthly, days, monthDays), paidBy: later?.order ?? null };
}

/** The renewal or restoration that paid a month; null for the first month. */
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
