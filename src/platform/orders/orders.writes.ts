/** Creates and cancels orders. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { giveBack, noteRefund } from '../../billing/charge-period.ts';
import { announceOrder, paidFor, storedPrice } from '../../billing/insert-order.ts';
import type { Schema } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { AnswerNow, WriteInput } from '../../jsonapi/resource.ts';
import { grossOf, plus, type Taxed, times } from '../../money/decimal.ts';
import { settleHold } from '../../money/ledger.ts';
import { callerOf, methodOf, type PlatformContext } from '../context.ts';
import { unusedTime } from '../dids/charges.ts';
import { returnToStock } from '../dids/move-numbers.ts';
import { createCapacityOrder } from './create-capacity-order.ts';
import { createDidOrder } from './create-did-order.ts';
import { scheduleKeyRemoval } from './idempotency.ts';
import type { OrderAttributes } from './order-items.ts';

/** Buys numbers or channels; the items of an order are of one kind. */
export async function createOrder(
  context: PlatformContext,
  input: WriteInput<OrderAttributes>,
  answer: AnswerNow,
): Promise<string> {
  await scheduleKeyRemoval(context);
  switch (input.attributes.items[0]?.type) {
    case 'did_order_items':
      return createDidOrder(context, input.attributes, answer);
    case 'capacity_order_items':
      return createCapacityOrder(context, input.attributes);
    default:
      // Only the platform itself creates emergency and generic items.
      return refuse(invalid.item('items', 0, 'type', messages.invalid));
  }
}

/**
 * Cancels a pending number order. All its numbers return to stock. Numbers that were not activated are refunded in
 * full; active numbers are refunded for the unused days of their month, without the setup price.
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
