import { type Kysely, type Selectable, sql } from 'kysely';
import { announceOrder } from '../../billing/announce-order.ts';
import { giveBack, noteRefund } from '../../billing/give-back.ts';
import { paidFor, storedPrice } from '../../billing/insert-order.ts';
import type { Schema } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import { invalid, refuse } from '../../jsonapi/errors.ts';
import { settleHold } from '../../money/ledger.ts';
import { grossOf, plus, type Taxed, times } from '../../money/taxed.ts';
import { callerOf, methodOf, type PlatformContext } from '../context.ts';
import { returnToStock } from '../dids/return-to-stock.ts';
import { unusedTime } from '../dids/unused-time.ts';

/**
 * Ends a number order that is still pending. All its numbers go back to stock. What was not handed over yet is refunded in
 * full; numbers that the customer already had are refunded for the unused days of their month, without the setup price.
 */
export async function cancelOrder(context: PlatformContext, id: string): Promise<void> {
  const { env, now } = context;
  const { accountId } = callerOf(context);
  await inTransaction(env.db, async (trx) => {
    const order = await trx
      .selectFrom('orders')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .forUpdate()
      .executeTakeFirst();
    if (order?.status !== 'pending' || order.kind !== 'did') refuse(invalid.base('Order not pending'));
    const { own, later } = await refundsOf(trx, order, now);
    await returnToStock(trx, env, { where: sql`d.order_id = ${id}`, method: methodOf(context), now });
    await trx.updateTable('order_items').set({ missing: 0 }).where('order_id', '=', id).execute();
    await trx.updateTable('orders').set({ status: 'canceled', finished_at: now }).where('id', '=', id).execute();
    await announceOrder(trx, env, { ...order, status: 'canceled' });
    await noteRefund(trx, id, own);
    const movement = { accountId, at: now, cause: 'order_canceled', reference: id, orderId: id } as const;
    const released = own.reduce((sum, { price }) => sum + grossOf(price), 0n);
    await settleHold(trx, movement, { earned: await paidFor(trx, id, order.vat_rate), released });
    for (const { didId, paidBy, price } of later) {
      await giveBack(trx, paidBy, { accountId, at: now, cause: 'refund', reference: didId }, price);
    }
  });
}

/** What goes back per item of the order itself, and for the running months that later orders have paid. */
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
