/** A purchase, and every other charge that a customer sees. */

import { referencePattern } from '../../../business/reference.ts';
import { boolean, decimal, objectList, text } from '../../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, since, until } from '../../../engines/jsonapi/filters.ts';
import { callbackAttributes, createdAt, externalReferenceId } from '../common-attributes.ts';
import { owned } from '../declare.ts';
import { ownedCounts } from '../owned-counts.ts';
import { itemsColumn, orderItemTypes, showItems } from './order-items.ts';
import { cancelOrder, createOrder } from './orders.writes.ts';

/** Limits the work of one request. */
const mostItems = 100;

const statuses = {
  pending: 'Waiting for its numbers.',
  completed: 'Everything was handed over.',
  canceled: 'It ended without its numbers; the charge was given back.',
};

export const orders = owned('orders', {
  group: 'Orders',
  noun: 'order',
  summary: 'A purchase of numbers or channels, or another charge.',
  attributes: {
    reference: text({ pattern: referencePattern, doc: 'The short name people use for it.' }),
    description: text({ doc: 'What it is for: `DID`, `Capacity`, `Emergency`, or the operator’s words.' }),
    amount: decimal({ doc: 'The whole charge, with VAT.' }),
    status: text({ values: statuses, doc: 'How far it is.' }),
    created_at: createdAt,
    items: {
      ...objectList(orderItemTypes, {
        write: 'create',
        required: true,
        minItems: 1,
        objectLimit: mostItems,
        sameType: true,
        atMostOneOf: { did_order_items: ['qty', 'available_did_id', 'did_reservation_id'] },
        column: itemsColumn,
        doc: 'What is bought; all items of an order are of one type.',
      }),
      decode: showItems,
    },
    ...callbackAttributes,
    external_reference_id: externalReferenceId,
    allow_back_ordering: boolean({
      write: 'create',
      writeOnly: true,
      default: true,
      doc: 'Whether the order may wait for numbers that are not in stock.',
    }),
  },
  filters: {
    id: anyId('t.id'),
    reference: anyOf('t.reference'),
    status: anyOf('t.status', { values: statuses }),
    external_reference_id: anyOf('t.external_reference_id', { single: true, blank: true }),
    created_at_gteq: since('t.created_at'),
    created_at_lteq: until('t.created_at', { round: 'end_of_day' }),
  },
  sort: ['amount', 'created_at', 'external_reference_id', 'reference', 'status'],
  tieBreak: 't.seq',
  counts: ownedCounts('orders', {
    filters: ['status'],
    ranges: { sort: { column: '', descending: false }, from: (range) => `t.seq >= ${range}::bigint * 1000` },
  }),
  deleteVerb: 'Cancel',
  guard: ({ caller }, operation) => {
    if (operation === 'create' && caller?.readOnly) {
      throw new ApiError([errors.forbidden('The account is in read-only mode: it cannot order.')]);
    }
  },
  create: createOrder,
  stores: ['update'],
  delete: cancelOrder,
});
