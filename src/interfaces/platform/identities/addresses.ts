/** `addresses`: where an identity lives or works. */
import { boolean, freeText, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { invalid, messages } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, explained } from '../../../engines/jsonapi/filters.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';
import { owned } from '../declare.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import { createAddress, deleteAddress, updateAddress } from './addresses.writes.ts';
import { textFilters } from './identities.ts';

const is = (column: string) => anyOf(column, { single: true });

/** SQL: at least one number is registered to the address. */
const isRegistered = `exists (select from dids d join address_verifications v on v.id = d.address_verification_id
  where v.address_id = t.id and v.status = 'approved')`;

export const addresses = owned('addresses', {
  group: 'Regulation',
  noun: 'address',
  summary: 'Where an identity lives or works.',
  attributes: {
    address: text({ maxLength: 200, write: 'both', required: true, doc: 'Street and house number.' }),
    city_name: text({ write: 'both', required: true, doc: 'The city, as it is written there.' }),
    postal_code: text({ write: 'both', required: true, doc: 'The postal code.' }),
    description: freeText({ nullable: true, write: 'both', doc: 'Your own note.' }),
    external_reference_id: externalReferenceId,
    created_at: createdAt,
    verified: boolean({ default: false, column: isRegistered, doc: 'Whether a number is registered to it.' }),
  },
  relationships: {
    identity: toOne('identities', { write: 'create', required: true, doc: 'Who lives or works there.' }),
    country: toOne('countries', { write: 'create', required: true, doc: 'The country it is in.' }),
    area: toOne('areas', { nullable: true, doc: 'The area in coverage, found by the name of the city.' }),
    city: toOne('cities', { nullable: true, doc: 'The city in coverage, found by its name.' }),
    proofs: toMany('proofs', { via: 'address_id', doc: 'Documents that prove it.' }),
  },
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
