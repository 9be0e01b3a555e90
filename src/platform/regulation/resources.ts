import type { PlatformResource } from '../declare.ts';
import { encryptedFiles } from '../encrypted-files/encrypted-files.ts';
import { publicKeys } from '../encrypted-files/public-keys.ts';
import { addresses } from '../identities/addresses.ts';
import { identities } from '../identities/identities.ts';
import { permanentSupportingDocuments } from '../identities/permanent-supporting-documents.ts';
import { proofTypes } from '../identities/proof-types.ts';
import { proofs } from '../identities/proofs.ts';
import { supportingDocumentTemplates } from '../identities/supporting-document-templates.ts';
import { addressRequirementValidations } from './address-requirement-validations.ts';
import { addressRequirements } from './address-requirements.ts';
import { addressVerifications } from './address-verifications.ts';

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
