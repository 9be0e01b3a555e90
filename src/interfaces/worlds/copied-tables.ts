/**
 * What a copy of an account holds, table by table: in a world `from: current`, in a snapshot of the sandbox, and in a
 * snapshot file. A table that is in none of these lists fails copied-tables.test.ts. They are filled in this order,
 * with the database's own rules on, so what a row refers to comes before it, and counts, balances and channels are
 * computed anew.
 */

/**
 * What becomes of a secret in a file that is not sealed with a passphrase: it is made anew when the file is loaded, or
 * left empty.
 */
type Secret = 'anew' | 'empty';

export interface CopiedTable {
  readonly table: string;
  /**
   * The rows of the account, as SQL over the row `t`; `$account` stands for its id. Without it, all: reference data.
   */
  readonly rows?: string;
  /** Columns that stay behind: they get their default. */
  readonly without?: readonly string[];
  /** Columns that say something of the operator, and what stands there instead, as SQL. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Columns that mean something on this server only, or all of them: a file does not have them. */
  readonly notInFiles?: readonly string[] | 'all';
  /** Columns that hold a secret; of JSON, the members that do. */
  readonly secrets?: Readonly<Record<string, Secret | readonly string[]>>;
  /** The column with the time of a table that has a partition per month. */
  readonly month?: string;
}

const own = 't.account_id = $account';
/** A number that a supplier shows is nobody's stock elsewhere. */
const notSupplied = 'not exists (select from supplied_numbers n where n.number = t.number)';
/** The rows whose parent is the account's. */
const ofOwn = (parent: string, column: string, key = 'id'): string =>
  `exists (select from ${parent} p where p.${key} = t.${column} and p.account_id = $account)`;
const byOperator = { reason: "''", actor: "'operator'" } as const;
const signed = { secrets: { sealed_signing_key: 'empty' } } as const;

export const copiedTables: readonly CopiedTable[] = [
  { table: 'countries' },
  { table: 'regions' },
  { table: 'areas' },
  { table: 'cities' },
  { table: 'pops' },
  { table: 'did_group_types' },
  { table: 'did_groups' },
  { table: 'stock_keeping_units' },
  { table: 'nanpa_prefixes' },
  { table: 'did_group_nanpa_prefixes' },
  { table: 'available_dids', rows: notSupplied },
  { table: 'capacity_pool_templates' },
  { table: 'capacity_pool_template_countries' },
  { table: 'capacity_pool_template_pricings' },
  { table: 'proof_types' },
  { table: 'supporting_document_templates' },
  { table: 'address_requirements' },
  { table: 'address_requirement_proof_types' },
  { table: 'emergency_requirements' },
  { table: 'verification_rates' },
  { table: 'exact_tax_since' },
  {
    table: 'accounts',
    rows: 't.id = $account',
    // The ledger makes the balance, and calls that are up stay behind with what they hold. Nobody signs in to a world.
    without: ['balance', 'held', 'password_hash', 'suspension_reason', 'origid'],
    notInFiles: ['read_only', 'limits', 'features', 'suspended_at', 'renewals_held', 'closed_at'],
    secrets: { sealed_callback_secret: 'anew' },
  },
  { table: 'api_keys', rows: own, notInFiles: ['rate_limit'], secrets: { key_hash: 'anew' } },
  { table: 'voice_rates', rows: `(t.account_id is null or ${own})` },
  { table: 'price_adjustments', rows: own, instead: { actor: byOperator.actor } },
  { table: 'emergency_rates', rows: own },
  { table: 'review_settings', rows: own },
  { table: 'capacity_pools', rows: own, without: ['assigned_channels_count'] },
  { table: 'shared_capacity_groups', rows: own },
  { table: 'identities', rows: own },
  { table: 'addresses', rows: own },
  { table: 'stored_files', rows: own, notInFiles: ['object_key'] },
  { table: 'stored_file_chunks', rows: ofOwn('stored_files', 'stored_file_id') },
  { table: 'encrypted_files', rows: own },
  { table: 'proofs', rows: own },
  { table: 'permanent_supporting_documents', rows: own },
  { table: 'orders', rows: own, ...signed },
  { table: 'emergency_calling_services', rows: own },
  { table: 'order_items', rows: ofOwn('orders', 'order_id') },
  { table: 'address_verifications', rows: own, ...signed },
  { table: 'emergency_verifications', rows: own, ...signed },
  { table: 'kept_files', rows: ofOwn('stored_files', 'stored_file_id') },
  { table: 'voice_in_trunk_groups', rows: own },
  { table: 'voice_in_trunks', rows: own, secrets: { configuration: ['auth_password', 'incoming_auth_password'] } },
  { table: 'dids', rows: own },
  { table: 'address_verification_dids', rows: ofOwn('dids', 'did_id') },
  { table: 'emergency_verification_dids', rows: ofOwn('dids', 'did_id') },
  { table: 'did_reservations', rows: `${own} and ${notSupplied}` },
  { table: 'did_history', rows: own, month: 'created_at' },
  {
    table: 'voice_out_trunks',
    rows: own,
    without: ['held'],
    secrets: { authentication: ['password'], ...signed.secrets },
  },
  { table: 'voice_out_trunk_dids', rows: ofOwn('dids', 'did_id') },
  { table: 'voice_out_trunk_emergency_dids', rows: ofOwn('dids', 'did_id') },
  { table: 'idempotency_keys', rows: own, notInFiles: 'all', secrets: { sealed_answer: 'empty' } },
  { table: 'ledger_transactions', rows: own },
  { table: 'ledger_entries', rows: ofOwn('ledger_transactions', 'transaction_id') },
  { table: 'adjustments', rows: own, instead: byOperator },
  { table: 'refunds', rows: own, instead: byOperator },
  { table: 'invoices', rows: own, instead: { actor: byOperator.actor } },
  { table: 'cdrs_in', rows: own, without: ['carrier_id', 'carrier_name', 'signed_origid'], month: 'time_start' },
  {
    table: 'cdrs_out',
    rows: own,
    without: ['carrier_id', 'carrier_name', 'carrier_rate', 'carrier_cost', 'margin', 'signed_origid'],
    month: 'time_start',
  },
  { table: 'exports', rows: own, notInFiles: ['object_key'], ...signed },
  { table: 'export_pieces', rows: ofOwn('exports', 'export_id') },
  { table: 'call_event_streams', rows: own, secrets: { sealed_password: 'anew', sealed_headers: 'empty' } },
  { table: 'otp_applications', rows: own, secrets: { sealed_secret: 'anew' } },
  {
    table: 'verifications',
    rows: own,
    without: ['dispatch_provider_id', 'counted_in'],
    secrets: { code_hash: 'anew' },
  },
  { table: 'verification_slots', rows: ofOwn('otp_applications', 'application_id') },
  { table: 'verification_quotes', rows: own },
  { table: 'sandbox_messages', rows: own },
  { table: 'faults', rows: own },
  { table: 'balance_alerts', rows: own },
  { table: 'billing_profiles', rows: own },
];

/** Kept by triggers on the tables above. */
export const derivedTables: readonly string[] = [
  'catalogue_version',
  'owned_count_changes',
  'owned_counts',
  'stock_blocks',
  'stock_counts',
  'stock_shelf_changes',
  'stock_shelves',
  'voice_in_names',
];

/** Each environment has a row of its own; the clock and the name of the catalogue go with a copy (copy-database.ts). */
export const rowsOfItsOwn: readonly string[] = [
  'environment_state',
  'invoice_numbers',
  'schema_functions',
  'schema_migrations',
];

/**
 * Nobody's copy has any of it: what operators keep and know, people and how they sign in, pending jobs, outgoing
 * messages.
 */
export const leftBehind: readonly string[] = [
  'account_members',
  'account_notes',
  'api_key_usage',
  'api_key_uses',
  'api_requests',
  'audit_log',
  'bulk_actions',
  'call_event_lanes',
  'call_events',
  'call_refusals',
  'call_trace_parts',
  'call_traces',
  'caller_name_cache',
  'caller_names',
  'carrier_rates',
  'carrier_routes',
  'carriers',
  'catalogue_import_parts',
  'catalogue_imports',
  'daily_counts',
  'deliveries',
  'delivery_attempts',
  'destination_risks',
  'encryption_keys',
  'erasures',
  'held_numbers',
  'jobs',
  'ledger_verifications',
  'login_challenges',
  'login_links',
  'mails',
  'open_calls',
  'operator_keys',
  'operators',
  'panel_events',
  'panel_logins',
  'panel_sessions',
  'panel_watchers',
  'passkeys',
  'peer_tests',
  'prefix_blocks',
  'price_list_lines',
  'price_lists',
  'risk_limits',
  'risk_spending',
  'sandbox_requests',
  'seed_budgets',
  'seed_uses',
  'sign_in_failures',
  'signing_certificates',
  'sip_peers',
  'sip_registrations',
  'stock_actions',
  'supplied_numbers',
  'supplier_differences',
  'supplier_groups',
  'supplier_offers',
  'supplier_price_rules',
  'supplier_purchases',
  'supplier_requests',
  'suppliers',
  'supply_buyers',
  'verification_blocked_starts',
  'verification_calls',
  'verification_conversion',
  'verification_counters',
  'verification_providers',
  'verification_routes',
  'verification_sent_messages',
  'verification_settings',
  'verification_start_counts',
  'verification_used_signatures',
  'voice_workers',
  'world_snapshots',
  'worlds',
];
