/** Stores an order that a customer has requested, with its callback and its idempotency key. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { insertOrder, type NewOrder, type NewOrderItem } from '../../billing/insert-order.ts';
import { sealSigningKey } from '../../callbacks/callback-request.ts';
import type { Schema } from '../../db/schema.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { rememberOrder } from './idempotency.ts';
import type { OrderAttributes } from './order-items.ts';

export async function storeOrder(
  trx: Kysely<Schema>,
  context: PlatformContext,
  attributes: OrderAttributes,
  kind: Pick<NewOrder, 'kind' | 'description' | 'status'>,
  items: readonly NewOrderItem[],
): Promise<NewOrder> {
  const { accountId, signingKey } = callerOf(context);
  const { callback_url = null, callback_method = null, external_reference_id = null } = attributes;
  const order: NewOrder = {
    ...kind,
    id: randomUUID(),
    account_id: accountId,
    callback_url,
    callback_method,
    sealed_signing_key: callback_url === null ? null : sealSigningKey(context.env, signingKey),
    external_reference_id,
    created_at: context.now,
  };
  await insertOrder(trx, order, items);
  await rememberOrder(trx, context, attributes, order.id);
  return order;
}
