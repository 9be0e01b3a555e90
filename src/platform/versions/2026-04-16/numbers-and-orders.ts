import { added, type Change, capitalised, otherWords, renamedAttribute } from '../change.ts';

/** Statuses were capitalised, callback methods in capitals, and a customer's own reference did not exist. */
const METHODS = { get: 'GET', post: 'POST' };

export const numbersAndOrders: readonly Change[] = [
  renamedAttribute('did_reservations', 'expires_at', 'expire_at'),
  renamedAttribute('encrypted_files', 'expires_at', 'expire_at'),
  otherWords('orders', 'status', capitalised(['pending', 'completed', 'canceled'])),
  otherWords('orders', 'callback_method', METHODS),
  otherWords('exports', 'callback_method', METHODS),
  otherWords('address_verifications', 'callback_method', METHODS),
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
    'identities',
    'addresses',
    'proofs',
    'permanent_supporting_documents',
    'address_verifications',
  ].map((type) => added(type, { attributes: ['external_reference_id'] })),
];
