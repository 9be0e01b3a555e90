/** Faults of orders that a test in the sandbox has asked for, by the control interface or by the order's reference. */
import { faultInReference } from '../../../engines/injected-faults.ts';
import { ApiError, invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { PlatformContext } from '../context.ts';
import { insufficientBalance } from '../refusals.ts';
import type { OrderAttributes } from './orders.members.ts';
import type { RequestedDid } from './read-did-items.ts';

/** Returns how an accepted order goes wrong, or null. Throws where the order is refused. Never in production. */
export async function orderFaultOf(
  { env, db, caller }: PlatformContext,
  { external_reference_id }: OrderAttributes,
  [first]: readonly RequestedDid[],
): Promise<'pending' | 'canceled' | null> {
  if (env.faults === undefined || caller === null) return null;
  const word =
    faultInReference(env, external_reference_id) ??
    (await env.faults.take(['order.pending', 'order.canceled', 'order.stock_gone'], caller.accountId, db))?.name.slice(
      6,
    );
  switch (word) {
    case 'pending':
    case 'canceled':
      return word;
    case 'decline':
      throw new ApiError([insufficientBalance('0.0', '1.0')]);
    case 'stock_gone':
      return refuse(invalid.item('items', first?.position ?? 0, ...soldMember(first)));
    default:
      return null;
  }
}

/** The member and the text that the order is refused with when its numbers are sold. */
function soldMember(item: RequestedDid | undefined): [member: string, text: string] {
  if (item?.availableDidId) return ['available_did_id', messages.invalid];
  if (item?.reservationId) return ['did_reservation_id', messages.invalid];
  return ['qty', 'exceeds available DIDs count'];
}
