import { toMany, toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { columnValues, updateRow } from '../../jsonapi/write.ts';
import { needsFeature, owned } from '../declare.ts';
import { callbackAttributes, outcomeAttributes, statusFilter } from '../regulation/verifications/reviewed.ts';
import { submitEmergencyVerification } from './submit-emergency-verification.ts';

/** A submission of an address for emergency calling, reviewed by a person. */
export const emergencyVerifications = owned('emergency_verifications', {
  group: 'Emergency',
  summary: 'A submission of an address for emergency calling, reviewed by a person.',
  attributes: { ...outcomeAttributes, ...callbackAttributes },
  relationships: {
    address: toOne('addresses', { write: 'create', required: true }),
    dids: toMany('dids', {
      write: 'create',
      min: 1,
      through: { table: 'emergency_verification_dids', from: 'emergency_verification_id', to: 'did_id' },
    }),
    emergency_calling_service: toOne('emergency_calling_services', { write: 'create' }),
  },
  filters: {
    'emergency_calling_service.id': anyId('t.emergency_calling_service_id'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    id: anyId('t.id'),
    status: statusFilter(),
  },
  sort: ['created_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  relationshipEndpoints: false,
  endpoints: { create: true, update: true },
  guard: needsFeature('emergency'),
  create: submitEmergencyVerification,
  update: (context, id, input) => updateRow(context, { table: 'emergency_verifications' }, id, columnValues(input)),
  notes: { exactly_one_of: ['dids', 'emergency_calling_service'] },
});
