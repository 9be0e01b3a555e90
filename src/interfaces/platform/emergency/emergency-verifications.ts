/** `emergency_verifications`: a submission of an address for emergency calling, reviewed by a person. */
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { needsFeature, owned } from '../declare.ts';
import {
  callbackAndReferenceAttributes,
  outcomeAttributes,
  statusFilter,
} from '../regulation/address-verifications.ts';
import { submitEmergencyVerification } from './emergency-verifications.writes.ts';

export const emergencyVerifications = owned('emergency_verifications', {
  group: 'Emergency',
  noun: 'emergency verification',
  summary: 'A submission of an address for emergency calling, reviewed by a person.',
  attributes: { ...outcomeAttributes, ...callbackAndReferenceAttributes },
  relationships: {
    address: toOne('addresses', { write: 'create', required: true, doc: 'Where help would be sent.' }),
    dids: toMany('dids', {
      doc: 'Numbers for a new service; instead of `emergency_calling_service`.',
      write: 'create',
      min: 1,
      unique: true,
      through: { table: 'emergency_verification_dids', from: 'emergency_verification_id', to: 'did_id' },
    }),
    emergency_calling_service: toOne('emergency_calling_services', {
      write: 'create',
      doc: 'The service that gets the address; instead of `dids`.',
    }),
  },
  filters: {
    'emergency_calling_service.id': anyId('t.emergency_calling_service_id'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    id: anyId('t.id'),
    status: statusFilter(),
  },
  sort: ['created_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  exactlyOneOf: ['dids', 'emergency_calling_service'],
  relationshipEndpoints: false,
  guard: needsFeature('emergency'),
  create: submitEmergencyVerification,
  stores: ['update'],
});
