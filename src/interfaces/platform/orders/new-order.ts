/** An order as its customer has requested it, with its callback. */
import { randomUUID } from 'node:crypto';
import type { NewOrder } from '../../../business/billing/insert-order.ts';
import { callbackColumns } from '../callback-columns.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { methodOf } from '../dids/did-history.ts';
import type { OrderAttributes } from './orders.members.ts';

export function newOrder(
  context: PlatformContext,
  attributes: OrderAttributes,
  kind: Pick<NewOrder, 'kind' | 'description' | 'status'>,
): NewOrder {
  return {
    ...kind,
    ...callbackColumns(context, attributes),
    id: randomUUID(),
    account_id: callerOf(context).accountId,
    external_reference_id: attributes.external_reference_id ?? null,
    method: methodOf(callerOf(context).actor),
    created_at: context.now,
  };
}
