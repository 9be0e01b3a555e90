/** A purchase, and every other charge that a customer sees. */

import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, since, until } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { ownedCounts } from '../owned-counts.ts';
import { orderMembers, statuses } from './orders.members.ts';
import { cancelOrder, createOrder } from './orders.writes.ts';

export const orders = owned('orders', {
  group: 'Orders',
  noun: 'order',
  summary: 'A purchase of numbers or channels, or another charge.',
  ...orderMembers,
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
