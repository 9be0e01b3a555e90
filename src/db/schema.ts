import type { AccountsTable, ApiKeysTable, EnvironmentStateTable } from './tables/accounts.ts';
import type {
  AreasTable,
  AvailableDidsTable,
  CitiesTable,
  CountriesTable,
  DidGroupNanpaPrefixesTable,
  DidGroupsTable,
  DidReservationsTable,
  NamedTable,
  NanpaPrefixesTable,
  RegionsTable,
  StockBlocksTable,
  StockKeepingUnitsTable,
} from './tables/catalogue.ts';
import type { DeliveriesTable, DeliveryAttemptsTable } from './tables/deliveries.ts';
import type {
  EmergencyCallingServicesTable,
  EmergencyRequirementsTable,
  EmergencyVerificationDidsTable,
  EmergencyVerificationsTable,
} from './tables/emergency.ts';
import type { LedgerEntriesTable, LedgerTransactionsTable } from './tables/money.ts';
import type {
  AddressesTable,
  AddressRequirementProofTypesTable,
  AddressRequirementsTable,
  AddressVerificationDidsTable,
  AddressVerificationsTable,
  AuditLogTable,
  EncryptedFilesTable,
  EncryptionKeysTable,
  IdentitiesTable,
  KeptFilesTable,
  PermanentSupportingDocumentsTable,
  ProofsTable,
  ProofTypesTable,
  ReviewSettingsTable,
  StoredFileChunksTable,
  StoredFilesTable,
  SupportingDocumentTemplatesTable,
} from './tables/regulation.ts';
import type {
  OtpApplicationsTable,
  SandboxMessagesTable,
  VerificationBlockedStartsTable,
  VerificationCountersTable,
  VerificationProvidersTable,
  VerificationRatesTable,
  VerificationRoutesTable,
  VerificationSentMessagesTable,
  VerificationSettingsTable,
  VerificationSlotsTable,
  VerificationsTable,
  VerificationUsedSignaturesTable,
} from './tables/verification.ts';

/** Every table, as the migrations leave it. */
export interface Schema {
  environment_state: EnvironmentStateTable;
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  countries: CountriesTable;
  regions: RegionsTable;
  areas: AreasTable;
  cities: CitiesTable;
  pops: NamedTable;
  did_group_types: NamedTable;
  did_groups: DidGroupsTable;
  stock_keeping_units: StockKeepingUnitsTable;
  nanpa_prefixes: NanpaPrefixesTable;
  did_group_nanpa_prefixes: DidGroupNanpaPrefixesTable;
  available_dids: AvailableDidsTable;
  stock_blocks: StockBlocksTable;
  did_reservations: DidReservationsTable;
  ledger_transactions: LedgerTransactionsTable;
  ledger_entries: LedgerEntriesTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  otp_applications: OtpApplicationsTable;
  verifications: VerificationsTable;
  verification_slots: VerificationSlotsTable;
  verification_rates: VerificationRatesTable;
  verification_providers: VerificationProvidersTable;
  verification_routes: VerificationRoutesTable;
  verification_sent_messages: VerificationSentMessagesTable;
  verification_settings: VerificationSettingsTable;
  verification_counters: VerificationCountersTable;
  verification_blocked_starts: VerificationBlockedStartsTable;
  verification_used_signatures: VerificationUsedSignaturesTable;
  sandbox_messages: SandboxMessagesTable;
  proof_types: ProofTypesTable;
  supporting_document_templates: SupportingDocumentTemplatesTable;
  address_requirements: AddressRequirementsTable;
  address_requirement_proof_types: AddressRequirementProofTypesTable;
  identities: IdentitiesTable;
  addresses: AddressesTable;
  proofs: ProofsTable;
  permanent_supporting_documents: PermanentSupportingDocumentsTable;
  encryption_keys: EncryptionKeysTable;
  stored_files: StoredFilesTable;
  stored_file_chunks: StoredFileChunksTable;
  encrypted_files: EncryptedFilesTable;
  audit_log: AuditLogTable;
  review_settings: ReviewSettingsTable;
  address_verifications: AddressVerificationsTable;
  address_verification_dids: AddressVerificationDidsTable;
  kept_files: KeptFilesTable;
  emergency_requirements: EmergencyRequirementsTable;
  emergency_calling_services: EmergencyCallingServicesTable;
  emergency_verifications: EmergencyVerificationsTable;
  emergency_verification_dids: EmergencyVerificationDidsTable;
}
