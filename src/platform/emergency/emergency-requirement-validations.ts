import { toOne } from '../../jsonapi/declare.ts';
import { owned } from '../declare.ts';
import { validateAgainst } from '../regulation/requirements/validate.ts';
import { needsEmergencyCalling } from './guard.ts';

/** A dry run: would this identity and address do for emergency calling? Nothing is stored. */
export const emergencyRequirementValidations = owned('emergency_requirement_validations', {
  group: 'Emergency',
  summary: 'A dry run of an identity and address against an emergency requirement.',
  attributes: {},
  relationships: {
    emergency_requirement: toOne('emergency_requirements', { write: 'create', required: true, writeOnly: true }),
    identity: toOne('identities', { nullable: true, write: 'create', writeOnly: true }),
    address: toOne('addresses', { nullable: true, write: 'create', writeOnly: true }),
  },
  endpoints: { list: false, read: false, create: true },
  paginated: false,
  relationshipEndpoints: false,
  stored: false,
  guard: needsEmergencyCalling,
  create: validateAgainst('emergency_requirement'),
  notes: { at_least_one_of: ['identity', 'address'] },
});
