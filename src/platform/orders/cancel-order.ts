import { sql } from 'kysely';
import { inTransaction } from '../../db/transaction.ts';
import { invalid, refuse } from '../../jsonapi/errors.ts';
import { releaseHold } from '../../money/ledger.ts';
import { callerOf, methodOf, type PlatformContext } from '../context.ts';
import { returnToStock } from '../dids/return-to-stock.ts';
import { announceOrder } from './announce-order.ts';
import { paidFor } from './insert-order.ts';

/** Ends a number order that is still pending: its numbers go back to stock and its money to the balance. */
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
    await returnToStock(trx, env, { where: sql`d.order_id = ${id}`, method: methodOf(context), now });
    await trx.updateTable('order_items').set({ missing: 0 }).where('order_id', '=', id).execute();
    await trx.updateTable('orders').set({ status: 'canceled', finished_at: now }).where('id', '=', id).execute();
    await announceOrder(trx, env, { ...order, status: 'canceled' });
    const movement = { accountId, amount: paidFor(order), at: now, orderId: id };
    await releaseHold(trx, { ...movement, cause: 'order_canceled', reference: id });
  });
}
