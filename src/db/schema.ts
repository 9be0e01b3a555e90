import type { AccountsTable, ApiKeysTable, EnvironmentStateTable } from './tables/accounts.ts';
import type {
  CapacityPoolCountriesView,
  CapacityPoolsTable,
  CapacityPoolTemplateCountriesTable,
  CapacityPoolTemplatePricingsTable,
  CapacityPoolTemplatesTable,
  SharedCapacityGroupsTable,
} from './tables/capacity.ts';
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
import type { DidHistoryTable, DidsTable } from './tables/dids.ts';
import type {
  EmergencyCallingServicesTable,
  EmergencyRatesTable,
  EmergencyRequirementsTable,
  EmergencyVerificationDidsTable,
  EmergencyVerificationsTable,
} from './tables/emergency.ts';
import type { ExactTaxSinceTable, LedgerEntriesTable, LedgerTransactionsTable } from './tables/money.ts';
import type { IdempotencyKeysTable, OrderItemsTable, OrdersTable } from './tables/orders.ts';
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
  VerificationQuotesTable,
  VerificationRatesTable,
  VerificationRoutesTable,
  VerificationSentMessagesTable,
  VerificationSettingsTable,
  VerificationSlotsTable,
  VerificationsTable,
  VerificationUsedSignaturesTable,
} from './tables/verification.ts';
import type {
  CallEventLanesTable,
  CallEventStreamsTable,
  CallEventsTable,
  CdrsInTable,
  CdrsOutTable,
  ExportPiecesTable,
  ExportsTable,
  OpenCallsTable,
  VoiceInTrunkGroupsTable,
  VoiceInTrunksTable,
  VoiceOutTrunkDidsTable,
  VoiceOutTrunksTable,
  VoiceRatesTable,
  VoiceWorkersTable,
} from './tables/voice.ts';

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
  exact_tax_since: ExactTaxSinceTable;
  ledger_entries: LedgerEntriesTable;
  orders: OrdersTable;
  order_items: OrderItemsTable;
  idempotency_keys: IdempotencyKeysTable;
  dids: DidsTable;
  did_history: DidHistoryTable;
  capacity_pool_templates: CapacityPoolTemplatesTable;
  capacity_pool_template_countries: CapacityPoolTemplateCountriesTable;
  capacity_pool_template_pricings: CapacityPoolTemplatePricingsTable;
  capacity_pools: CapacityPoolsTable;
  capacity_pool_countries: CapacityPoolCountriesView;
  shared_capacity_groups: SharedCapacityGroupsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  otp_applications: OtpApplicationsTable;
  verifications: VerificationsTable;
  verification_slots: VerificationSlotsTable;
  verification_quotes: VerificationQuotesTable;
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
  voice_in_trunks: VoiceInTrunksTable;
  voice_in_trunk_groups: VoiceInTrunkGroupsTable;
  voice_out_trunks: VoiceOutTrunksTable;
  voice_out_trunk_dids: VoiceOutTrunkDidsTable;
  voice_out_trunk_emergency_dids: VoiceOutTrunkDidsTable;
  voice_rates: VoiceRatesTable;
  voice_workers: VoiceWorkersTable;
  open_calls: OpenCallsTable;
  cdrs_in: CdrsInTable;
  cdrs_out: CdrsOutTable;
  call_event_streams: CallEventStreamsTable;
  call_events: CallEventsTable;
  call_event_lanes: CallEventLanesTable;
  exports: ExportsTable;
  export_pieces: ExportPiecesTable;
  emergency_rates: EmergencyRatesTable;
}
