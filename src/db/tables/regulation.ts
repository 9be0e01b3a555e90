import type { ColumnType, Generated } from 'kysely';

export type IdentityType = 'personal' | 'business';
export type AreaLevel = 'world_wide' | 'country' | 'area' | 'city';

export interface ProofTypesTable {
  id: string;
  name: string;
  entity_type: 'Personal' | 'Business' | 'Address';
  valid_days: number | null;
  position: number;
}

export interface SupportingDocumentTemplatesTable {
  id: string;
  name: string;
  permanent: boolean;
  storage_key: string;
  form_lines: string[];
}

export interface AddressRequirementsTable {
  id: string;
  country_id: string;
  did_group_type_id: string;
  identity_type: 'any' | IdentityType;
  personal_area_level: 'world_wide' | 'country' | null;
  business_area_level: 'world_wide' | 'country' | null;
  address_area_level: AreaLevel;
  personal_proof_qty: number;
  business_proof_qty: number;
  address_proof_qty: number;
  personal_mandatory_fields: string[] | null;
  business_mandatory_fields: string[] | null;
  service_description_required: boolean;
  restriction_message: string;
  personal_permanent_document_id: string | null;
  business_permanent_document_id: string | null;
  personal_onetime_document_id: string | null;
  business_onetime_document_id: string | null;
}

export interface AddressRequirementProofTypesTable {
  address_requirement_id: string;
  kind: 'personal' | 'business' | 'address';
  proof_type_id: string;
}

export interface IdentitiesTable {
  id: Generated<string>;
  account_id: string;
  identity_type: IdentityType;
  first_name: string;
  last_name: string;
  phone_number: string;
  contact_email: string | null;
  company_name: string | null;
  company_reg_number: string | null;
  vat_id: string | null;
  id_number: string | null;
  personal_tax_id: string | null;
  birth_date: string | null;
  description: string | null;
  external_reference_id: string | null;
  country_id: string | null;
  birth_country_id: string | null;
  created_at: ColumnType<Date, Date, never>;
  hidden_at: ColumnType<Date | null, never, Date>;
}

export interface AddressesTable {
  id: Generated<string>;
  account_id: string;
  identity_id: string;
  country_id: string;
  address: string;
  city_name: string;
  postal_code: string;
  description: string | null;
  external_reference_id: string | null;
  city_id: string | null;
  area_id: string | null;
  created_at: ColumnType<Date, Date, never>;
  hidden_at: Date | null;
}

export interface ProofsTable {
  id: Generated<string>;
  account_id: string;
  proof_type_id: string;
  identity_id: string | null;
  address_id: string | null;
  external_reference_id: string | null;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date | null;
}

export interface PermanentSupportingDocumentsTable {
  id: Generated<string>;
  account_id: string;
  template_id: string;
  identity_id: string;
  external_reference_id: string | null;
  created_at: ColumnType<Date, Date, never>;
}

export interface EncryptionKeysTable {
  id: string;
  slot: 'A' | 'B';
  public_key: string;
  sealed_private_key: string;
  fingerprint: string;
  modulus_bytes: number;
  created_at: ColumnType<Date, Date, never>;
  retired_at: Date | null;
}

export interface StoredFilesTable {
  id: Generated<string>;
  account_id: string;
  fingerprint: string | null;
  size: number | null;
  created_at: ColumnType<Date, Date, never>;
}

export interface StoredFileChunksTable {
  stored_file_id: string;
  position: number;
  bytes: Buffer;
}

export interface EncryptedFilesTable {
  id: Generated<string>;
  account_id: string;
  stored_file_id: string;
  description: string | null;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date;
}

export interface AuditLogTable {
  id: Generated<string>;
  at: Date;
  actor: string;
  action: string;
  account_id: string | null;
  subject_type: string;
  subject_id: string;
  details: ColumnType<Record<string, unknown>, string | undefined, never>;
}

export interface ReviewSettingsTable {
  account_id: string;
  auto_decision: 'approve' | 'reject' | null;
  checks_uploads: Generated<boolean>;
  registration_days: Generated<number | null>;
}

export type VerificationStatus = 'pending' | 'approved' | 'rejected';

/** What both kinds of submission have. */
export interface ReviewedTable {
  id: Generated<string>;
  account_id: string;
  address_id: string | null;
  reference: string;
  status: ColumnType<VerificationStatus, VerificationStatus | undefined, VerificationStatus>;
  reject_reasons: string[] | null;
  reject_comment: string | null;
  callback_url: string | null;
  callback_method: 'get' | 'post' | null;
  sealed_signing_key: string | null;
  external_reference_id: string | null;
  created_at: ColumnType<Date, Date, never>;
  decided_at: Date | null;
}

export interface AddressVerificationsTable extends ReviewedTable {
  service_description: string | null;
}

export interface AddressVerificationDidsTable {
  address_verification_id: string;
  did_id: string;
}

export interface KeptFilesTable {
  id: Generated<string>;
  stored_file_id: string;
  proof_id: string | null;
  document_id: string | null;
  address_verification_id: string | null;
  position: number;
}
