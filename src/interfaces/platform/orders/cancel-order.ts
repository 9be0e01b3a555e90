/** Ends a pending number order without its numbers, for the customer or because nobody can deliver it. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { giveBack, noteRefund } from '../../../business/billing/charge-period.ts';
import { announceOrder, paidFor, storedPrice } from '../../../business/billing/insert-order.ts';
import { grossOf, plus, type Taxed, times } from '../../../business/money/decimal.ts';
import { settleHold } from '../../../business/money/ledger.ts';
import { undoPurchasesOf } from '../../../business/suppliers/purchases/purchase-rows.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { DidMethod } from '../../../engines/db/tables/dids.ts';
import type { Environment } from '../../../engines/environment.ts';
import { unusedTime } from '../dids/charges.ts';
import { returnToStock } from '../dids/move-numbers.ts';

/**
 * All its numbers return to stock. Numbers that were not activated are refunded in full; active numbers are refunded
 * for the unused days of their month, without the setup price. What was asked for at suppliers is given back there. The
 * order's row is locked by the caller. `because` says why, if the platform cancels it.
 */
export async function cancelPendingOrder(
  trx: Kysely<Schema>,
  env: Environment,
  order: Selectable<Schema['orders']>,
  { method, now, because = null }: { method: DidMethod; now: Date; because?: string | null },
): Promise<void> {
  const { id, account_id: accountId } = order;
  const { own, later } = await refundsOf(trx, order, now);
  await undoPurchasesOf(trx, env, id);
  await returnToStock(trx, env, { where: sql`d.order_id = ${id}`, method, now });
  await trx.updateTable('order_items').set({ missing: 0 }).where('order_id', '=', id).execute();
  await trx
    .updateTable('orders')
    .set({ status: 'canceled', finished_at: now, canceled_because: because })
    .where('id', '=', id)
    .execute();
  await announceOrder(trx, env, { ...order, status: 'canceled' });
  await noteRefund(trx, id, own);
  const movement = { accountId, at: now, cause: 'order_canceled', reference: id, orderId: id } as const;
  const released = own.reduce((sum, { price }) => sum + grossOf(price), 0n);
  await settleHold(trx, movement, { earned: await paidFor(trx, id, order.vat_rate), released });
  for (const { didId, paidBy, price } of later) {
    await giveBack(trx, paidBy, { accountId, at: now, cause: 'refund', reference: didId }, price);
  }
}

/** The refunds per item of this order, and of later orders that paid the current month. */
async function refundsOf(trx: Kysely<Schema>, order: Selectable<Schema['orders']>, now: Date) {
  const items = await trx.selectFrom('order_items').selectAll().where('order_id', '=', order.id).execute();
  const numbers = await trx
    .selectFrom('dids')
    .selectAll()
    .where('order_id', '=', order.id)
    .where('activated_at', 'is not', null)
    .forUpdate()
    .execute();
  const own: { position: number; price: Taxed }[] = [];
  const later = [];
  for (const item of items) {
    const paid = {
      setup: storedPrice(item.nrc, item.nrc_vat, order.vat_rate),
      monthly: storedPrice(item.mrc, item.mrc_vat, order.vat_rate),
    };
    const handedOver = numbers.filter(
      ({ order_position, number }) => order_position === item.position && !item.declined.includes(number),
    );
    const notHandedOver = item.qty - item.declined.length - handedOver.length;
    let price = times(plus(paid.setup, paid.monthly), notHandedOver);
    for (const did of handedOver) {
      const unused = await unusedTime(trx, { ...did, paid }, now);
      if (unused.paidBy) later.push({ didId: did.id, paidBy: unused.paidBy, price: unused.price });
      else price = plus(price, unused.price);
    }
    own.push({ position: item.position, price });
  }
  return { own, later };
}
