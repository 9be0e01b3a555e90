/** The attributes and relationships of addresses: what a request may send of one is derived from here. */
import { boolean, freeText, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';

/** SQL: at least one number is registered to the address. */
const isRegistered = `exists (select from dids d join address_verifications v on v.id = d.address_verification_id
  where v.address_id = t.id and v.status = 'approved')`;

export const addressMembers = {
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
};
