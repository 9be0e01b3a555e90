import { boolean, dateTime, decimal, objectList, text } from '../../jsonapi/attributes.ts';
import { ApiError, errors } from '../../jsonapi/errors.ts';
import { anyId, anyOf, since, until } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { cancelOrder } from './cancel-order.ts';
import { createOrder } from './create-order.ts';
import { idempotentOrders } from './idempotency.ts';
import { itemsColumn, orderItemTypes, showItems } from './order-items.ts';
import { updateOrder } from './update-order.ts';

const STATUSES = ['pending', 'completed', 'canceled'] as const;

/** A purchase, and every other charge that a customer sees. */
export const orders = owned('orders', {
  group: 'Orders',
  summary: 'A purchase of numbers or channels, or another charge.',
  attributes: {
    reference: text({ pattern: '^[A-Z]{3}-[0-9]{6}$' }),
    description: text(),
    amount: decimal(),
    status: text({ enum: STATUSES }),
    created_at: dateTime(),
    items: {
      ...objectList(orderItemTypes, { write: 'create', required: true, minItems: 1, column: itemsColumn }),
      decode: showItems,
    },
    callback_url: text({ nullable: true, write: 'create', format: 'uri', togetherWith: 'callback_method' }),
    callback_method: text({
      nullable: true,
      write: 'create',
      enum: ['get', 'post'],
      togetherWith: 'callback_url',
    }),
    external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
    allow_back_ordering: boolean({ write: 'create', writeOnly: true, default: true }),
  },
  filters: {
    id: anyId('t.id'),
    reference: anyOf('t.reference'),
    status: anyOf('t.status', { enum: STATUSES }),
    external_reference_id: anyOf('t.external_reference_id', { single: true, blank: true }),
    created_at_gteq: since('t.created_at'),
    created_at_lteq: until('t.created_at', { round: 'end_of_day' }),
  },
  sort: ['amount', 'created_at', 'external_reference_id', 'reference', 'status'],
  tieBreak: 't.seq',
  endpoints: { create: true, update: true, delete: true },
  guard: ({ caller }, operation) => {
    if (operation === 'create' && caller?.readOnly) throw new ApiError([errors.forbidden()]);
  },
  repeated: idempotentOrders,
  create: createOrder,
  update: updateOrder,
  delete: cancelOrder,
});
