/**
 * Orders and attributes of many types: statuses were capitalised, callback methods were in capital letters, only
 * identities had an `external_reference_id`, and an order waited for missing numbers only if it asked for that.
 */
import type { ErrorObject } from '../../../engines/jsonapi/errors.ts';
import { added, type Change, capitalised, otherWords, renamedAttribute, withAttributes } from './change.ts';

const capitalMethods = { get: 'GET', post: 'POST' };

const backOrdersOnRequest: Change = {
  type: 'orders',
  request: ({ query, body }) => ({
    query,
    body: withAttributes(body, (attributes) => ({
      allow_back_ordering: false,
      ...attributes,
    })),
  }),
};

/** The error did not state the missing amount. */
const insufficientFunds: Change = {
  type: 'orders',
  error: (problem): ErrorObject => {
    if (problem.title !== 'Insufficient balance') return problem;
    const { meta: _meta, ...rest } = problem;
    return { ...rest, title: 'Insufficient funds', detail: 'Insufficient funds' };
  },
};

export const orders: readonly Change[] = [
  renamedAttribute('did_reservations', 'expires_at', 'expire_at'),
  renamedAttribute('encrypted_files', 'expires_at', 'expire_at'),
  otherWords('orders', 'status', capitalised(['pending', 'completed', 'canceled'])),
  otherWords('orders', 'callback_method', capitalMethods),
  backOrdersOnRequest,
  insufficientFunds,
  otherWords('exports', 'callback_method', capitalMethods),
  otherWords('address_verifications', 'callback_method', capitalMethods),
  added('dids', {
    attributes: ['emergency_enabled'],
    relationships: ['emergency_calling_service', 'emergency_verification', 'identity'],
  }),
  ...[
    'orders',
    'exports',
    'shared_capacity_groups',
    'voice_in_trunks',
    'voice_in_trunk_groups',
    'voice_out_trunks',
    'addresses',
    'proofs',
    'permanent_supporting_documents',
    'address_verifications',
  ].map((type) => added(type, { attributes: ['external_reference_id'] })),
];
