/** Every type of `/v3`. A new type is a declaration and a line here. */
import { balances } from '../account/balances.ts';
import { capacityPools, qtyBasedPricings } from '../capacity/capacity-pools.ts';
import { sharedCapacityGroups } from '../capacity/shared-capacity-groups.ts';
import { areas } from '../coverage/areas.ts';
import { cities } from '../coverage/cities.ts';
import { countries } from '../coverage/countries.ts';
import { nanpaPrefixes } from '../coverage/nanpa-prefixes.ts';
import { pops } from '../coverage/pops.ts';
import { regions } from '../coverage/regions.ts';
import type { PlatformResource } from '../declare.ts';
import { availableDids } from '../did-groups/available-dids.ts';
import { didGroups, didGroupTypes, stockKeepingUnits } from '../did-groups/did-groups.ts';
import { didHistory } from '../dids/did-history.ts';
import { dids } from '../dids/dids.ts';
import { emergencyCallingServices } from '../emergency/emergency-calling-services.ts';
import { emergencyRequirements, emergencyRequirementValidations } from '../emergency/emergency-requirements.ts';
import { emergencyVerifications } from '../emergency/emergency-verifications.ts';
import { exports } from '../exports/exports.ts';
import { addresses } from '../identities/addresses.ts';
import { encryptedFiles, publicKeys } from '../identities/encrypted-files.ts';
import { identities } from '../identities/identities.ts';
import {
  permanentSupportingDocuments,
  supportingDocumentTemplates,
} from '../identities/permanent-supporting-documents.ts';
import { proofs, proofTypes } from '../identities/proofs.ts';
import { voiceInTrunkGroups } from '../inbound-trunks/voice-in-trunk-groups.ts';
import { voiceInTrunks } from '../inbound-trunks/voice-in-trunks.ts';
import { orders } from '../orders/orders.ts';
import { voiceOutTrunkRegenerateCredentials } from '../outbound-trunks/regenerate-credentials.ts';
import { voiceOutTrunks } from '../outbound-trunks/voice-out-trunks.ts';
import { addressRequirements } from '../regulation/address-requirements.ts';
import { addressVerifications } from '../regulation/address-verifications.ts';
import { addressRequirementValidations } from '../regulation/requirement-validations.ts';
import { didReservations } from '../reservations/did-reservations.ts';

export const resources: readonly PlatformResource[] = [
  countries,
  regions,
  cities,
  areas,
  pops,
  didGroupTypes,
  didGroups,
  stockKeepingUnits,
  nanpaPrefixes,
  availableDids,
  didReservations,
  dids,
  didHistory,
  orders,
  balances,
  capacityPools,
  qtyBasedPricings,
  sharedCapacityGroups,
  voiceInTrunks,
  voiceInTrunkGroups,
  exports,
  voiceOutTrunks,
  voiceOutTrunkRegenerateCredentials,
  identities,
  addresses,
  proofTypes,
  proofs,
  supportingDocumentTemplates,
  permanentSupportingDocuments,
  encryptedFiles,
  publicKeys,
  addressRequirements,
  addressRequirementValidations,
  addressVerifications,
  emergencyRequirements,
  emergencyRequirementValidations,
  emergencyCallingServices,
  emergencyVerifications,
];
