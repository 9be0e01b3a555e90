/** Who may do what in /operator/v1 and, by the same table, what the API reference says about it. */
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import type { Access, Operation } from '../../engines/jsonapi/resource.ts';

export const roleTexts: Readonly<Record<OperatorRole, string>> = {
  owner: 'Everything, operators and their keys included.',
  support:
    'Looks everything up; creates, changes, suspends and closes accounts; runs the stock; repeats jobs and callbacks.',
  finance: 'Looks everything up; changes accounts and their balances.',
  reviewer: 'Looks everything up; decides submissions.',
  'read-only': 'Looks everything up and changes nothing.',
};

export const roleNames: readonly OperatorRole[] = ['owner', 'support', 'finance', 'reviewer', 'read-only'];

const everyone = roleNames;
const owner = ['owner'] as const;
const desk = ['owner', 'support'] as const;
const money = ['owner', 'finance'] as const;

/** Type → verb → roles. A verb that is missing does not exist. */
export const permissions = {
  account_notes: { read: everyone, create: ['owner', 'support', 'finance', 'reviewer'], delete: desk },
  account_overview: { read: everyone },
  accounts: { read: everyone, create: desk, update: ['owner', 'support', 'finance'] },
  adjustments: { read: everyone, create: money },
  api_requests: { read: everyone },
  audit_entries: { read: everyone },
  back_orders: { read: everyone },
  billing_profiles: { read: everyone, update: money },
  bulk_actions: { read: everyone, create: desk },
  call_refusals: { read: everyone },
  call_trace_entries: { read: everyone },
  call_traces: { read: everyone },
  caller_names: { read: everyone, create: desk, update: desk, delete: desk },
  calls: { read: everyone },
  carrier_routes: { read: everyone, create: owner, update: owner, delete: owner },
  carriers: { read: everyone, create: owner, update: owner, delete: owner },
  catalogue_imports: { read: everyone, create: desk },
  cdrs_in: { read: everyone },
  cdrs_out: { read: everyone },
  conversions: { read: everyone },
  destination_risks: { read: everyone, create: money, update: money, delete: money },
  deliveries: { read: everyone, update: desk, delete: desk },
  delivery_attempts: { read: everyone },
  erasures: { read: everyone, create: owner },
  guards: { read: everyone, update: owner },
  held_numbers: { read: everyone },
  invoices: { read: everyone, create: money },
  jobs: { read: everyone, update: desk, delete: desk },
  ledger_entries: { read: everyone },
  ledger_verifications: { read: everyone },
  margins: { read: money },
  number_history: { read: everyone },
  numbers: { read: everyone },
  operators: { read: owner, create: owner, update: owner, delete: owner },
  operator_keys: { read: owner, create: owner, delete: owner },
  orders: { read: everyone },
  peer_tests: { read: everyone, create: desk },
  personal_data: { read: desk },
  prefix_blocks: { read: everyone, create: desk, update: desk },
  provider_routes: { read: everyone, create: owner, update: owner, delete: owner },
  providers: { read: everyone, create: owner, update: owner, delete: owner },
  price_adjustments: { read: everyone, create: money, update: money, delete: money },
  price_list_lines: { read: everyone },
  price_lists: { read: everyone, create: money, update: money },
  refused_starts: { read: everyone },
  refunds: { read: everyone, create: money },
  risk_limits: { read: everyone, create: money, update: money, delete: money },
  routing: { read: everyone },
  search: { read: everyone },
  signing_certificates: { read: everyone, create: owner, update: owner, delete: owner },
  statements: { read: everyone },
  stock: { read: everyone },
  submission_files: { read: ['owner', 'reviewer'] },
  submission_papers: { read: ['owner', 'support', 'reviewer'] },
  stock_actions: { read: everyone, create: desk },
  submissions: { read: everyone, update: ['owner', 'reviewer'] },
  supplier_offers: { read: everyone },
  supplier_price_rules: { read: everyone, create: money, delete: money },
  supplier_requests: { read: desk },
  suppliers: { read: everyone, create: owner, update: owner, delete: owner },
  uploads: { read: everyone },
  verification_rates: { read: everyone, create: money, update: money, delete: money },
  verifications: { read: everyone },
} as const satisfies Readonly<Record<string, Partial<Record<Access, readonly OperatorRole[]>>>>;

export type OperatorType = keyof typeof permissions;

/** Attributes that only some of those who may update the type may send. */
export const attributePermissions: Readonly<Record<string, Readonly<Record<string, readonly OperatorRole[]>>>> = {
  accounts: {
    ...{ credit: money, vat_rate: money, balance: money },
    ...{ name: desk, email: desk, suspended: desk, closed: desk },
  },
};

/** Nobody, for what the table does not name. */
export function rolesFor(type: string, operation: Operation): readonly OperatorRole[] {
  const verb: Access = operation === 'list' ? 'read' : operation;
  const types: Readonly<Record<string, Partial<Record<Access, readonly OperatorRole[]>>>> = permissions;
  return (Object.hasOwn(types, type) ? types[type]?.[verb] : undefined) ?? [];
}
