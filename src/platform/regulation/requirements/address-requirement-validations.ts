import { toOne } from '../../../jsonapi/declare.ts';
import { owned } from '../../declare.ts';
import { validateAgainst } from './validate.ts';

/** A dry run: would this identity and address satisfy the requirement? Nothing is stored. */
export const addressRequirementValidations = owned('address_requirement_validations', {
  group: 'Regulation',
  summary: 'A dry run of an identity and address against a requirement.',
  formerPaths: ['/requirement_validations'],
  attributes: {},
  relationships: {
    address_requirement: toOne('address_requirements', { write: 'create', required: true, writeOnly: true }),
    identity: toOne('identities', { nullable: true, write: 'create', writeOnly: true }),
    address: toOne('addresses', { nullable: true, write: 'create', writeOnly: true }),
  },
  endpoints: { list: false, read: false, create: true },
  paginated: false,
  relationshipEndpoints: false,
  stored: false,
  create: validateAgainst('address_requirement'),
  notes: { at_least_one_of: ['identity', 'address'] },
});
