import { dateTime, list, text } from '../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { columnValues, updateRow } from '../../jsonapi/write.ts';
import { owned } from '../declare.ts';
import { statusFilter, VERIFICATION_STATUSES } from '../regulation/verifications/address-verifications.ts';
import { needsEmergencyCalling } from './guard.ts';
import { submitEmergencyVerification } from './submit-emergency-verification.ts';

/** A submission of an address for emergency calling, reviewed by a person. */
export const emergencyVerifications = owned('emergency_verifications', {
  group: 'Emergency',
  summary: 'A submission of an address for emergency calling, reviewed by a person.',
  attributes: {
    reference: text({ pattern: '^[A-Z]{3}-[0-9]{6}$' }),
    status: text({ enum: VERIFICATION_STATUSES }),
    reject_reasons: list({ type: 'string' }, { nullable: true }),
    reject_comment: text({ nullable: true }),
    callback_url: text({ nullable: true, write: 'create', format: 'uri', togetherWith: 'callback_method' }),
    callback_method: text({ nullable: true, write: 'create', enum: ['get', 'post'], togetherWith: 'callback_url' }),
    external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
    created_at: dateTime(),
  },
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
    status: statusFilter(VERIFICATION_STATUSES),
  },
  sort: ['created_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  relationshipEndpoints: false,
  endpoints: { create: true, update: true },
  guard: needsEmergencyCalling,
  create: submitEmergencyVerification,
  update: (context, id, input) => updateRow(context, { table: 'emergency_verifications' }, id, columnValues(input)),
  notes: { exactly_one_of: ['dids', 'emergency_calling_service'] },
});
