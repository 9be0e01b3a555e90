/**
 * What PostgreSQL cannot say of the tables: the room each belongs to and who writes it, names for lists of values, and
 * the shapes of JSON. A table that is in no room stops the generator.
 */
export interface Room {
  /** Also the name of the file with its row types. */
  readonly name: string;
  readonly about: string;
  /** The folders of src that write its tables. Others read only. */
  readonly writers: string;
  readonly tables: readonly string[];
}

export const rooms: readonly Room[] = [
  {
    name: 'accounts',
    about: 'Customers, their API keys and members, sessions, and the one row that an environment keeps about itself.',
    writers:
      '`accounts`, `panel` and `bootstrap`; a balance is changed by a trigger on the ledger only; `environment_state` by `boot`, `catalogue` and `sandbox`',
    tables: [
      'accounts',
      'api_keys',
      'api_key_uses',
      'account_members',
      'api_key_usage',
      'panel_sessions',
      'sign_in_attempts',
      'sign_in_failures',
      'panel_logins',
      'passkeys',
      'login_challenges',
      'login_links',
      'panel_watchers',
      'panel_events',
      'environment_state',
    ],
  },
  {
    name: 'operators',
    about: 'Who runs the environment, and what they did.',
    writers: '`operator`; the audit log by `audit.ts`, for every room; requests by `server`',
    tables: [
      'operators',
      'operator_keys',
      'audit_log',
      'adjustments',
      'bulk_actions',
      'api_requests',
      'refunds',
      'invoice_numbers',
      'invoices',
      'ledger_verifications',
      'erasures',
      'price_adjustments',
      'price_lists',
      'price_list_lines',
      'stock_actions',
      'held_numbers',
      'catalogue_imports',
      'catalogue_import_parts',
      'account_notes',
      'peer_tests',
    ],
  },
  {
    name: 'worlds',
    about:
      "The sandbox's worlds and their snapshots, whose databases lie beside its own; what clients sent to a sandbox.",
    writers: '`worlds`',
    tables: ['worlds', 'world_snapshots', 'sandbox_requests'],
  },
  {
    name: 'faults',
    about: 'Faults that a test has asked for; only a sandbox has rows.',
    writers: '`sandbox`',
    tables: ['faults'],
  },
  {
    name: 'mail',
    about: 'E-mails on their way, and when customers are told of a low balance.',
    writers: '`mail`; balance alerts by `billing`, and by a trigger on balances',
    tables: ['mails', 'balance_alerts'],
  },
  {
    name: 'catalogue',
    about: 'What is sold, and the stock of numbers.',
    writers:
      '`catalogue`; `platform/orders` and `platform/reservations` take numbers out; blocks and shelves are kept by triggers',
    tables: [
      'countries',
      'regions',
      'areas',
      'cities',
      'pops',
      'did_group_types',
      'did_groups',
      'stock_keeping_units',
      'nanpa_prefixes',
      'did_group_nanpa_prefixes',
      'catalogue_version',
      'available_dids',
      'stock_blocks',
      'stock_shelves',
      'stock_shelf_changes',
      'stock_counts',
      'stock_count_scopes',
      'did_reservations',
    ],
  },
  {
    name: 'orders',
    about: 'Orders, which also show every charge, and the keys by which a client repeats one safely.',
    writers: '`platform/orders` and `billing`',
    tables: ['orders', 'order_items', 'idempotency_keys'],
  },
  {
    name: 'dids',
    about: 'Numbers that customers own.',
    writers:
      '`platform/dids`, `platform/orders`, and for their part `capacity`, `regulation` and `emergency` of `platform`',
    tables: ['dids', 'did_history'],
  },
  {
    name: 'owned-counts',
    about: 'How many rows each account has in its lists, and in ranges of their order.',
    writers: 'triggers on the tables that are counted',
    tables: ['owned_counts', 'owned_count_changes'],
  },
  {
    name: 'capacity',
    about: 'Channels: pools, what is for sale in them, and groups that share them.',
    writers: '`platform/capacity`; templates by `catalogue`; counts of assigned channels by triggers',
    tables: [
      'capacity_pool_templates',
      'capacity_pool_template_countries',
      'capacity_pool_template_pricings',
      'capacity_pools',
      'capacity_pool_countries',
      'capacity_pools_seen',
      'qty_based_pricings',
      'shared_capacity_groups',
    ],
  },
  {
    name: 'money',
    about: 'The ledger: double entry, append only.',
    writers: '`money`; nothing is ever updated or deleted',
    tables: ['ledger_transactions', 'ledger_entries', 'exact_tax_since'],
  },
  {
    name: 'regulation',
    about: 'What countries ask for, the paperwork of customers, and its review.',
    writers:
      '`platform/identities` and `platform/regulation`; requirements, proof types and templates by `catalogue/requirements`',
    tables: [
      'proof_types',
      'supporting_document_templates',
      'address_requirements',
      'address_requirement_proof_types',
      'identities',
      'addresses',
      'proofs',
      'permanent_supporting_documents',
      'encryption_keys',
      'stored_files',
      'stored_file_chunks',
      'encrypted_files',
      'kept_files',
      'address_verifications',
      'address_verification_dids',
      'review_settings',
    ],
  },
  {
    name: 'emergency',
    about: 'Emergency calling.',
    writers: '`platform/emergency`; requirements by `catalogue/requirements`',
    tables: [
      'emergency_requirements',
      'emergency_rates',
      'emergency_calling_services',
      'emergency_verifications',
      'emergency_verification_dids',
    ],
  },
  {
    name: 'voice',
    about: 'Trunks, rates, carriers and the SIP peers of both.',
    writers: '`voice`; trunks by `platform/inbound-trunks` and `platform/outbound-trunks`',
    tables: [
      'voice_in_trunks',
      'voice_in_trunk_groups',
      'voice_in_names',
      'voice_out_trunks',
      'voice_out_trunk_dids',
      'voice_out_trunk_emergency_dids',
      'voice_out_trunk_emergency_links',
      'voice_rates',
      'carriers',
      'carrier_routes',
      'carrier_rates',
      'sip_peers',
      'voice_workers',
      'sip_registrations',
    ],
  },
  {
    name: 'calls',
    about: 'Calls in progress and ended ones, the events about them, their traces, and exports of CDRs.',
    writers: '`voice`; exports by `platform/exports`',
    tables: [
      'open_calls',
      'cdrs_in',
      'cdrs_out',
      'call_event_streams',
      'call_events',
      'call_event_lanes',
      'call_traces',
      'call_trace_parts',
      'call_refusals',
      'exports',
      'export_pieces',
    ],
  },
  {
    name: 'verification',
    about: 'The phone verification service.',
    writers: '`verification`',
    tables: [
      'otp_applications',
      'verifications',
      'verification_slots',
      'verification_quotes',
      'verification_rates',
      'verification_providers',
      'verification_routes',
      'verification_sent_messages',
      'verification_calls',
      'verification_settings',
      'verification_counters',
      'verification_start_counts',
      'verification_blocked_starts',
      'verification_conversion',
      'prefix_blocks',
      'verification_used_signatures',
      'sandbox_messages',
    ],
  },
  {
    name: 'deliveries',
    about: 'Callbacks on their way out, with every attempt.',
    writers: '`callbacks`',
    tables: ['deliveries', 'delivery_attempts'],
  },
];

/** Lists of values that code refers to by name, with the column whose check constraint has them. */
export const namedValues: Readonly<Record<string, string>> = {
  AccountRole: 'account_members.role',
  AreaLevel: 'address_requirements.address_area_level',
  AuthenticationType: 'voice_out_trunks.authentication_type',
  ConfigurationType: 'voice_in_trunks.configuration_type',
  DeliveryMethod: 'deliveries.method',
  DeliveryStatus: 'deliveries.status',
  DidAction: 'did_history.action',
  DidMethod: 'did_history.method',
  IdentityType: 'identities.identity_type',
  Ledger: 'ledger_entries.ledger',
  LedgerCause: 'ledger_transactions.cause',
  OrderItemType: 'order_items.type',
  OperatorRole: 'operators.role',
  OrderStatus: 'orders.status',
  StreamName: 'call_event_streams.stream',
};

/** What a column holds where the database does not say it: values that no constraint lists, and shapes of JSON. */
export const shapes: Readonly<Record<string, string>> = {
  'accounts.limits': 'Record<string, number>',
  'accounts.features': 'Record<string, boolean>',
  'accounts.call_events': '{ url: string; gzip: boolean }',
  'audit_log.after': 'Record<string, unknown>',
  'audit_log.before': 'Record<string, unknown>',
  'audit_log.details': 'Record<string, unknown>',
  'call_event_lanes.stream': 'StreamName',
  'call_events.stream': 'StreamName',
  'call_trace_parts.entries': 'unknown[]',
  'delivery_attempts.request': 'Record<string, unknown>',
  'exports.callback_method': "'get' | 'post'",
  'exports.filters': 'Record<string, string>',
  'idempotency_keys.answer': 'Record<string, unknown>',
  'otp_applications.senders': 'Record<string, string>',
  'sandbox_messages.delivery_method': "'sms' | 'callout'",
  'verification_providers.settings': 'Record<string, unknown>',
  'verification_settings.settings': 'Record<string, unknown>',
  'verifications.counted_in': '{ guard: string; subject: string; window_start: string }[]',
  'voice_in_trunks.configuration': 'Record<string, unknown>',
  'voice_out_trunks.authentication': 'Record<string, unknown>',
  'worlds.credentials':
    '{ api_keys: { key_hash: string; prefix: string }; otp_applications: { key: string; sealed_secret: string } }',
};

/** Columns that only triggers write. */
export const keptByTriggers: readonly string[] = ['capacity_pools.assigned_channels_count'];

/** More types of a room's file. */
export const furtherTypes: Readonly<Record<string, string>> = {
  regulation: `/** What both kinds of submission have. */
export type ReviewedTable = Omit<AddressVerificationsTable, 'service_description'>;`,
};
