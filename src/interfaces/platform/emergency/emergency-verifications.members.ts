/** The attributes and relationships of emergency verifications: what a request may send of one is derived from here. */
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { callbackAndReferenceAttributes, outcomeAttributes } from '../regulation/address-verifications.members.ts';

export const emergencyVerificationMembers = {
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
};
