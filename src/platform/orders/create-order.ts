import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { AnswerNow, WriteInput } from '../../jsonapi/resource.ts';
import type { PlatformContext } from '../context.ts';
import { createCapacityOrder } from './create-capacity-order.ts';
import { createDidOrder } from './create-did-order.ts';
import { planForgetting } from './idempotency.ts';
import type { OrderAttributes } from './order-attributes.ts';

/** Buys numbers or channels; one order holds items of one kind. */
export async function createOrder(
  context: PlatformContext,
  input: WriteInput<OrderAttributes>,
  answer: AnswerNow,
): Promise<string> {
  const { items } = input.attributes;
  const [first] = items;
  const others = items.flatMap(({ type }, index) =>
    type === first?.type ? [] : [invalid.item('items', index, 'type', 'must be the same for all items')],
  );
  if (others.length > 0) refuse(...others);
  await planForgetting(context);
  switch (first?.type) {
    case 'did_order_items':
      return createDidOrder(context, input.attributes, answer);
    case 'capacity_order_items':
      return createCapacityOrder(context, input.attributes);
    default:
      // Emergency and generic items are made by the platform itself.
      return refuse(invalid.item('items', 0, 'type', messages.invalid));
  }
}
