/** Creates and cancels orders. */
import { inTransaction } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { AnswerNow } from '../../../engines/jsonapi/resource.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { methodOf } from '../dids/did-history.ts';
import { cancelPendingOrder } from './cancel-order.ts';
import { createCapacityOrder } from './create-capacity-order.ts';
import { createDidOrder } from './create-did-order.ts';
import type { orderMembers } from './orders.members.ts';

/** Buys numbers or channels; the items of an order are of one kind. */
export async function createOrder(
  context: PlatformContext,
  input: CreateInput<typeof orderMembers>,
  answer: AnswerNow,
): Promise<string> {
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

/** Cancels a pending number order of the caller. */
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
    await cancelPendingOrder(trx, env, order, { method: methodOf(callerOf(context).actor), now });
  });
}
