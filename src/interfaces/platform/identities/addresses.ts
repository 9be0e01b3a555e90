/** `addresses`: where an identity lives or works. */

import { invalid, messages } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, explained } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import { addressMembers } from './addresses.members.ts';
import { createAddress, deleteAddress, updateAddress } from './addresses.writes.ts';
import { textFilters } from './identities.ts';

const is = (column: string) => anyOf(column, { single: true });

export const addresses = owned('addresses', {
  group: 'Regulation',
  noun: 'address',
  summary: 'Where an identity lives or works.',
  ...addressMembers,
  filters: {
    ...textFilters('address', 'city_name', 'postal_code', 'description'),
    'area.id': anyId('t.area_id'),
    'city.id': anyId('t.city_id'),
    'country.id': anyId('t.country_id'),
    external_reference_id: is('t.external_reference_id'),
    id: anyId('t.id'),
    'identity.external_reference_id': explained(
      'Your own reference of its identity.',
      is('(select i.external_reference_id from identities i where i.id = t.identity_id)'),
    ),
    'identity.id': anyId('t.identity_id'),
  },
  sort: ['address', 'city_name', 'created_at', 'description', 'external_reference_id', 'postal_code', 'verified'],
  tieBreak: 't.created_at, t.id',
  counts: ownedCounts('addresses', { ranges: byCreation }),
  // A hidden address was deleted but must stay on record: only resources that link to it still show it.
  direct: () => 't.hidden_at is null',
  // The identity was deleted after the request was validated.
  refusals: { addresses_identity_id_fkey: invalid.relationship('identity', messages.invalid) },
  create: createAddress,
  update: updateAddress,
  delete: deleteAddress,
});
