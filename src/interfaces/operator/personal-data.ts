/**
 * Where personal data of an account is: how it is exported and erased, which records must be kept and why, and which
 * hold none. A test demands that every table with an account stands here.
 */

interface PersonalData {
  readonly what: string;
  /**
   * `$1` is the account. Null where the export shows nothing, such as passwords. What it finds is what the proof
   * counts.
   */
  readonly export: string | null;
  /** Statements that erase it, in this order; without an export the rows of the last one are counted. */
  readonly erase: readonly string[];
}

const ofAccount = 'account_id = $1::uuid';
const applications = `(select id from otp_applications where ${ofAccount})`;
const keys = `(select id from api_keys where ${ofAccount})`;

/** In the order in which it is erased: what refers to other records goes first. */
export const personalData: readonly PersonalData[] = [
  {
    what: 'account_notes',
    export: `select id, text, created_at from account_notes where ${ofAccount}`,
    erase: [`delete from account_notes where ${ofAccount}`],
  },
  {
    // Whole databases with copies of all that stands below, which the sandbox drops at its next look; a whole copy
    // holds this account too.
    what: 'worlds_and_snapshots',
    export: `select id, name, origin, created_at from worlds where state = 'used' and (whole or ${ofAccount})
             union all select id, name, 'snapshot', created_at from world_snapshots where whole or ${ofAccount}`,
    erase: [
      `delete from world_snapshots where whole or ${ofAccount}`,
      `update worlds set state = 'ending', name = null, api_key_hash = null, application_key = null, used_at = 'epoch'
       where state = 'used' and (whole or ${ofAccount})`,
    ],
  },
  {
    what: 'verifications',
    export: `select id, destination, delivery_method, status, language, created_at from verifications where ${ofAccount}`,
    erase: [
      `delete from verification_slots where application_id in ${applications}`,
      `delete from verification_blocked_starts where application_id in ${applications}`,
      `delete from verification_quotes where ${ofAccount}`,
      `delete from sandbox_messages where ${ofAccount}`,
      `delete from sandbox_requests where ${ofAccount}`,
      `delete from verifications where ${ofAccount}`,
    ],
  },
  {
    what: 'spoken_codes',
    export: `select id, destination, caller, started_at, answered_at, outcome from verification_calls where ${ofAccount}`,
    erase: [`delete from verification_calls where ${ofAccount}`],
  },
  {
    what: 'call_traces',
    export: `select call_id, direction, src_number, dst_number, started_at from call_traces where ${ofAccount}`,
    erase: [`delete from call_refusals where ${ofAccount}`, `delete from call_traces where ${ofAccount}`],
  },
  {
    what: 'outbound_trunks',
    export: `select id, name, callback_url, created_at from voice_out_trunks where ${ofAccount}`,
    erase: [`delete from voice_out_trunks where ${ofAccount}`],
  },
  {
    what: 'inbound_trunk_groups',
    export: `select id, name, created_at from voice_in_trunk_groups where ${ofAccount}`,
    erase: [
      `update voice_in_trunks set voice_in_trunk_group_id = null where ${ofAccount}`,
      `delete from voice_in_trunk_groups where ${ofAccount}`,
    ],
  },
  {
    what: 'inbound_trunks',
    export: `select id, name, description, configuration->>'host' as host, configuration->>'dst' as dst, created_at
             from voice_in_trunks where ${ofAccount}`,
    erase: [`delete from voice_in_trunks where ${ofAccount}`],
  },
  {
    what: 'api_keys',
    export: `select id, name, allowed_ips, created_at, revoked_at from api_keys where ${ofAccount}`,
    erase: [
      `delete from idempotency_keys where ${ofAccount}`,
      `delete from api_key_usage where api_key_id in ${keys}`,
      `update api_keys set name = 'erased', allowed_ips = '{}' where ${ofAccount}`,
    ],
  },
  {
    what: 'emergency_submissions',
    export: `select id, reference, reject_comment, created_at from emergency_verifications where ${ofAccount}`,
    erase: [
      `update emergency_calling_services set name = 'erased ' || id where ${ofAccount}`,
      `update emergency_verifications set reject_comment = null, callback_url = null, callback_method = null,
         external_reference_id = null where ${ofAccount}`,
    ],
  },
  {
    what: 'submissions',
    export: `select id, reference, service_description, reject_comment, created_at from address_verifications where ${ofAccount}`,
    erase: [
      `update proofs set external_reference_id = null where ${ofAccount}`,
      `update permanent_supporting_documents set external_reference_id = null where ${ofAccount}`,
      `update address_verifications set reject_comment = null, service_description = null, callback_url = null,
         callback_method = null, external_reference_id = null where ${ofAccount}`,
    ],
  },
  {
    what: 'mails',
    export: `select id, kind, recipient, created_at, sent_at from mails where ${ofAccount}`,
    erase: [`delete from balance_alerts where ${ofAccount}`, `delete from mails where ${ofAccount}`],
  },
  {
    what: 'otp_applications',
    export: `select id, name, description, callback_url, created_at from otp_applications where ${ofAccount}`,
    erase: [
      `update otp_applications set name = 'erased ' || id, description = null, callback_url = null, senders = '{}',
         deleted_at = coalesce(deleted_at, $2::timestamptz)
       where ${ofAccount}`,
    ],
  },
  {
    what: 'uploaded_files',
    export: `select id, size, created_at from stored_files where ${ofAccount}`,
    erase: [
      `delete from encrypted_files where ${ofAccount}`,
      `delete from kept_files where stored_file_id in (select id from stored_files where ${ofAccount})`,
      `delete from stored_files where ${ofAccount}`,
    ],
  },
  {
    what: 'exports',
    export: `select id, export_type, filters, status, created_at from exports where ${ofAccount}`,
    erase: [`delete from exports where ${ofAccount}`],
  },
  {
    what: 'addresses',
    export: `select id, address, city_name, postal_code, description, created_at from addresses where ${ofAccount}`,
    erase: [
      `update addresses set address = 'erased', city_name = 'erased', postal_code = '0', description = null,
         external_reference_id = null, hidden_at = coalesce(hidden_at, $2::timestamptz)
       where ${ofAccount}`,
    ],
  },
  {
    what: 'identities',
    export: `select id, identity_type, first_name, last_name, phone_number, contact_email, company_name,
               company_reg_number, vat_id, id_number, personal_tax_id, birth_date, description, created_at
             from identities where ${ofAccount}`,
    erase: [
      `update identities set first_name = 'erased', last_name = 'erased', phone_number = '0', contact_email = null,
         company_name = null, company_reg_number = null, vat_id = null, id_number = null, personal_tax_id = null,
         birth_date = null, description = null, external_reference_id = null,
         hidden_at = coalesce(hidden_at, $2::timestamptz)
       where ${ofAccount}`,
    ],
  },
  {
    what: 'call_events',
    export: null,
    erase: [`delete from call_event_streams where ${ofAccount}`, `delete from call_events where ${ofAccount}`],
  },
  {
    what: 'callbacks',
    export: `select id, kind, url, payload, created_at from deliveries where ${ofAccount}`,
    erase: [
      `delete from delivery_attempts where delivery_id in (select id from deliveries where ${ofAccount})`,
      `delete from deliveries where ${ofAccount}`,
    ],
  },
  {
    what: 'requests',
    export: `select at, method, path, status, address from api_requests where ${ofAccount}`,
    erase: [`update api_requests set address = 'erased' where ${ofAccount}`],
  },
  {
    what: 'panel_sessions',
    export: `select ip, user_agent, created_at, last_used_at from panel_sessions where ${ofAccount}`,
    erase: [
      `delete from panel_events where ${ofAccount}`,
      `delete from panel_logins where ${ofAccount}`,
      `delete from panel_sessions where ${ofAccount}`,
    ],
  },
  {
    what: 'members',
    export: `select id, email, role, created_at from account_members where ${ofAccount}`,
    erase: [`delete from account_members where ${ofAccount}`],
  },
  {
    what: 'billing_profile',
    export: `select kind, name, street, postal_code, city, country, vat_id, email, purchase_order, updated_at
             from billing_profiles where ${ofAccount}`,
    erase: [`delete from billing_profiles where ${ofAccount}`],
  },
  {
    what: 'account',
    export: 'select id, name, email, created_at, closed_at from accounts where id = $1::uuid',
    erase: [
      `update accounts set name = 'erased ' || id, email = null, password_hash = null, sealed_callback_secret = null,
         call_events = null
       where id = $1::uuid`,
    ],
  },
];

interface KeptData {
  readonly what: string;
  readonly why: string;
  readonly count: string;
}

export const keptData: readonly KeptData[] = [
  {
    what: 'ledger',
    why: 'Books are kept for the years that tax law demands; movements have amounts and ids, no names.',
    count: `select count(*)::int as n from ledger_transactions where ${ofAccount}`,
  },
  {
    what: 'orders',
    why: 'They show what the books charged.',
    count: `select count(*)::int as n from orders where ${ofAccount}`,
  },
  {
    what: 'invoices',
    why: 'An issued invoice must be kept as it was, with the name of the customer.',
    count: `select count(*)::int as n from invoices where ${ofAccount}`,
  },
  {
    what: 'cdrs',
    why: 'They prove the charges of calls, and are kept as long as traffic records must be.',
    count: `select (select count(*) from cdrs_in where ${ofAccount})::int
              + (select count(*) from cdrs_out where ${ofAccount})::int as n`,
  },
  {
    what: 'number_history',
    why: 'It says who had a number and when; it holds ids of accounts, no names.',
    count: `select count(*)::int as n from did_history where ${ofAccount}`,
  },
  {
    what: 'adjustments_and_refunds',
    why: 'They explain movements of the books.',
    count: `select (select count(*) from adjustments where ${ofAccount})::int
              + (select count(*) from refunds where ${ofAccount})::int as n`,
  },
  {
    what: 'audit_entries',
    why: 'They say what operators did; they hold neither names nor addresses of customers.',
    count: `select count(*)::int as n from audit_log where ${ofAccount}`,
  },
];

/**
 * Tables with an account in which nothing is about a person: amounts, counts, settings, and what is gone within the
 * hour.
 */
export const withoutPersonalData: readonly string[] = [
  ...['capacity_pools', 'shared_capacity_groups', 'emergency_rates', 'voice_rates', 'price_adjustments', 'price_lists'],
  ...['did_reservations', 'open_calls', 'call_event_lanes', 'panel_watchers', 'review_settings', 'prefix_blocks'],
  ...['verification_conversion', 'bulk_actions', 'erasures', 'ledger_entries', 'faults'],
  'supply_buyers',
  ...['risk_limits', 'risk_spending', 'seed_uses', 'seed_budgets'],
  // How many entries lists have; of numbers their first nine digits, and there are none left.
  ...['owned_counts', 'owned_count_changes'],
  // Erasing demands that there are no numbers left.
  'dids',
  // Names of inbound trunks and groups: a trigger deletes them with these.
  'voice_in_names',
];
