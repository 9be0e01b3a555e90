import type { PlatformResource } from '../declare.ts';
import { addresses } from './addresses/addresses.ts';
import { permanentSupportingDocuments } from './documents/permanent-supporting-documents.ts';
import { proofTypes } from './documents/proof-types.ts';
import { proofs } from './documents/proofs.ts';
import { supportingDocumentTemplates } from './documents/supporting-document-templates.ts';
import { encryptedFiles } from './files/encrypted-files.ts';
import { publicKeys } from './files/public-keys.ts';
import { identities } from './identities/identities.ts';
import { addressRequirementValidations } from './requirements/address-requirement-validations.ts';
import { addressRequirements } from './requirements/address-requirements.ts';
import { addressVerifications } from './verifications/address-verifications.ts';

/** The types of regulation paperwork. */
export const regulationResources: readonly PlatformResource[] = [
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
];
