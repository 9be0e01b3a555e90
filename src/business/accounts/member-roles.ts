/**
 * What the people of an account may do in the panel, on every interface that takes a session. Every route belongs to a
 * subject, and this table has a line for each: a subject that it does not name is refused to everybody. All that is
 * named may be read by everyone, without its secrets. API keys have no role: who holds one may do what the account, or
 * the key's scopes, allow.
 */
import type { AccountRole } from '../../engines/db/tables/accounts.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';

export const memberRoleTexts: Readonly<Record<AccountRole, string>> = {
  owner: 'Everything, the team included.',
  billing:
    'Buys numbers and channels, keeps the paperwork, sets the warning of a low balance; changes nothing technical.',
  developer: 'Everything but the team.',
  'read-only': 'Looks everything up and changes nothing.',
};

const everyone: readonly AccountRole[] = ['owner', 'billing', 'developer', 'read-only'];
const purchases: readonly AccountRole[] = ['owner', 'billing', 'developer'];
const technical: readonly AccountRole[] = ['owner', 'developer'];
const team: readonly AccountRole[] = ['owner'];
const nobody: readonly AccountRole[] = [];

/** Interface → type → who may write. */
const writers = {
  v3: {
    address_requirement_validations: purchases,
    address_requirements: nobody,
    address_verifications: purchases,
    addresses: purchases,
    areas: nobody,
    available_dids: nobody,
    balances: nobody,
    capacity_pools: technical,
    cities: nobody,
    countries: nobody,
    did_group_types: nobody,
    did_groups: nobody,
    did_history: nobody,
    did_reservations: purchases,
    dids: technical,
    emergency_calling_services: technical,
    emergency_requirement_validations: purchases,
    emergency_requirements: nobody,
    emergency_verifications: technical,
    encrypted_files: purchases,
    exports: technical,
    identities: purchases,
    nanpa_prefixes: nobody,
    orders: purchases,
    permanent_supporting_documents: purchases,
    pops: nobody,
    proof_types: nobody,
    proofs: purchases,
    public_keys: nobody,
    qty_based_pricings: nobody,
    regions: nobody,
    shared_capacity_groups: technical,
    stock_keeping_units: nobody,
    supporting_document_templates: nobody,
    voice_in_trunk_groups: technical,
    voice_in_trunks: technical,
    voice_out_trunk_regenerate_credentials: technical,
    voice_out_trunks: technical,
  },
  'panel/v1': {
    // The API version and the callback secret are for owners and developers; that is checked there.
    account_settings: purchases,
    api_keys: technical,
    api_usage: nobody,
    billing_profiles: ['owner', 'billing'],
    call_attempts: nobody,
    call_event_endpoints: technical,
    call_event_replays: technical,
    call_events: technical,
    call_refusals: nobody,
    call_trace_entries: nobody,
    call_traces: nobody,
    callback_attempts: nobody,
    callback_replays: technical,
    callbacks: technical,
    calls: nobody,
    emergency_numbers: nobody,
    invoices: nobody,
    live_calls: nobody,
    members: team,
    notifications: nobody,
    otp_applications: technical,
    outbound_calls: nobody,
    phone_credentials: technical,
    registration_checks: nobody,
    routing: nobody,
    search: nobody,
    secret_reveals: technical,
    // The person's own login; the route checks that it is.
    sessions: everyone,
    signature_checks: technical,
    statements: nobody,
    statistics: nobody,
    test_callbacks: technical,
    trunk_health: nobody,
    trunk_sound: nobody,
    outbound_trunk_sound: nobody,
    unregistered_numbers: nobody,
    upcoming: nobody,
    verifications: nobody,
  },
  'sandbox/v1': {
    address_verifications: technical,
    calls: technical,
    clock: technical,
    deliveries: nobody,
    emergency_verifications: technical,
    faults: technical,
    listen: nobody,
    messages: nobody,
    orders: technical,
    requests: nobody,
    scenarios: nobody,
    seed: technical,
    snapshots: technical,
    timeline: nobody,
    worlds: technical,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly AccountRole[]>>>>;

export type MemberInterface = keyof typeof writers;

/** What a request is about: decided by its route, never by the text of its URL. */
export interface Subject {
  readonly interface: MemberInterface;
  /** Null for a route that names none; nobody may use it. */
  readonly type: string | null;
  readonly reads: boolean;
}

/** An operator who acts as a customer may do there what comes nearest to the operator's own role. */
export const actingRole: Readonly<Record<OperatorRole, AccountRole>> = {
  owner: 'owner',
  support: 'owner',
  finance: 'billing',
  reviewer: 'read-only',
  'read-only': 'read-only',
};

/** A person's role does not allow what the request asks for. */
export class RoleForbids extends Error {
  override readonly name = 'RoleForbids';
  readonly statusCode = 403;
}

/** The roles that may use a subject; null if no rule names it. */
export function rolesFor({ interface: name, type, reads }: Subject): readonly AccountRole[] | null {
  const ofInterface: Readonly<Record<string, readonly AccountRole[]>> = writers[name];
  const allowed = type !== null && Object.hasOwn(ofInterface, type) ? ofInterface[type] : undefined;
  if (allowed === undefined) return null;
  return reads ? everyone : allowed;
}

/** Throws `RoleForbids`. */
export function requireMemberRole(role: AccountRole, subject: Subject): void {
  const allowed = rolesFor(subject);
  if (allowed === null) throw new RoleForbids('No rule lets a person do this.');
  if (allowed.includes(role)) return;
  const needed = allowed.length === 0 ? '' : `; it needs ${allowed.join(' or ')}`;
  throw new RoleForbids(`The role ${role} may not do this${needed}.`);
}
