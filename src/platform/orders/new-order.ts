/** An order as its customer has requested it, with its callback. */
import { randomUUID } from 'node:crypto';
import type { NewOrder } from '../../billing/insert-order.ts';
import { sealSigningKey } from '../../callbacks/callback-request.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import type { OrderAttributes } from './order-items.ts';

export function newOrder(
  context: PlatformContext,
  attributes: OrderAttributes,
  kind: Pick<NewOrder, 'kind' | 'description' | 'status'>,
): NewOrder {
  const { accountId, signingKey } = callerOf(context);
  const { callback_url = null, callback_method = null, external_reference_id = null } = attributes;
  return {
    ...kind,
    id: randomUUID(),
    account_id: accountId,
    callback_url,
    callback_method,
    sealed_signing_key: callback_url === null ? null : sealSigningKey(context.env, signingKey),
    external_reference_id,
    created_at: context.now,
  };
}
