/** `emergency_verifications`: a submission of an address for emergency calling, reviewed by a person. */

import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { needsFeature, owned } from '../declare.ts';
import { statusFilter } from '../regulation/address-verifications.ts';
import { emergencyVerificationMembers } from './emergency-verifications.members.ts';
import { submitEmergencyVerification } from './emergency-verifications.writes.ts';

export const emergencyVerifications = owned('emergency_verifications', {
  group: 'Emergency',
  noun: 'emergency verification',
  summary: 'A submission of an address for emergency calling, reviewed by a person.',
  ...emergencyVerificationMembers,
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
