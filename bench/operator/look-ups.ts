/**
 * Every way to look something up in /operator/v1, with values that are common, rare and nowhere in the filled database.
 */
import { registry } from '../../src/interfaces/operator/resources.ts';

export interface LookUp {
  /** Rows of results are one per subject: a type, or another route. */
  subject: string;
  /** What it is looked up by. */
  by: string;
  /** Below `/operator/v1/`. */
  path: string;
}

/** Values that occur: the largest account, one with little, one with nothing; times as the environment has them. */
export interface Samples {
  largest: string;
  small: string;
  none: string;
  /** An id of each type that can be asked for by id. */
  ids: Readonly<Record<string, string>>;
  number: string;
  unknownNumber: string;
  reference: string;
  lastWeek: string;
  longAgo: string;
  /** Keys, carriers, applications and orders, one that is used often and one that is used rarely. */
  key: string;
  carrier: string;
  rareCarrier: string;
  application: string;
  order: string;
}

/** Filters by type; each value is one look-up. Types that are left out are listed without a filter. */
function filtersOf(at: Samples): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  const accounts = { 'account.id': [at.largest, at.small, at.none] };
  const created = { created_at_gteq: [at.lastWeek], created_at_lteq: [at.lastWeek, at.longAgo] };
  const started = { time_start_gteq: [at.lastWeek], time_start_lteq: [at.lastWeek, at.longAgo] };
  const calls = { ...accounts, ...started, success: ['true', 'false'], disconnect_code: ['200', '486', '604', '699'] };
  return {
    accounts: {
      ...created,
      id: [at.largest],
      search: ['ops-77', 'customer-', 'c4ca42', 'nowhere.example', at.small],
      suspended: ['true', 'false'],
      closed: ['true', 'false'],
    },
    numbers: {
      ...accounts,
      ...created,
      id: [at.ids.numbers ?? ''],
      number: [at.number, at.unknownNumber],
      number_contains: ['493', '4711', '47114', '99999999999'],
      state: ['pending', 'awaiting_registration', 'active', 'blocked', 'terminated', 'expired'],
    },
    number_history: {
      ...accounts,
      ...created,
      number: [at.number, at.unknownNumber],
      action: ['assigned', 'restored', 'billing_cycles_count_changed'],
      method: ['api3', 'staff', 'mcp'],
    },
    orders: {
      ...accounts,
      ...created,
      id: [at.order],
      reference: [at.reference, 'ZZZ-000000'],
      reference_contains: [at.reference.slice(2, 8), '-00', 'QQQQQ'],
      external_reference_id: ['PO-3', 'PO-nowhere'],
      status: ['completed', 'pending', 'canceled'],
    },
    calls: {
      ...accounts,
      call_id: ['30-1', '30-x'],
      direction: ['out', 'in'],
      state: ['answered', 'routed'],
      src_number: ['49301', '99*'],
      dst_number: ['441', '99*'],
    },
    cdrs_in: {
      ...calls,
      call_id: ['10-77', '10-x'],
      src_number: ['1555*', '15550104729', '999*'],
      did_number: ['4930*', at.number, '999*'],
    },
    cdrs_out: {
      ...calls,
      call_id: ['20-77', '20-x'],
      src_number: ['4930*', at.number, '999*'],
      dst_number: ['44*', '440000104729', '999*'],
      'carrier.id': [at.carrier, at.rareCarrier, at.none],
    },
    verifications: {
      ...accounts,
      ...created,
      id: [at.ids.verifications ?? ''],
      destination: ['4910000007919', '499999999999'],
      status: ['verified', 'failed', 'denied', 'pending'],
      delivery_method: ['sms', 'callout'],
      'application.id': [at.application, at.none],
    },
    uploads: { ...accounts, ...created, id: [at.ids.uploads ?? ''] },
    api_requests: {
      ...accounts,
      caller_id: [at.key, at.none],
      caller_kind: ['api_key', 'session', 'operator'],
      method: ['GET', 'DELETE', 'PATCH'],
      route: ['/v3/dids', '/v3/exports', '/v3/nowhere'],
      status: ['200', '404', '500', '4xx', '5xx', '599'],
      request_id: ['c4ca4238a0b923820dcc509a6f75849b', 'nowhere'],
      at_gteq: [at.lastWeek],
      at_lteq: [at.lastWeek, at.longAgo],
    },
    deliveries: {
      ...accounts,
      ...created,
      id: [at.ids.deliveries ?? ''],
      kind: ['orders', 'exports', 'nothing'],
      status: ['delivered', 'failed', 'dropped', 'pending'],
      host: ['example', 'nowhere'],
    },
    delivery_attempts: { 'delivery.id': [at.ids.deliveries ?? '', at.none] },
    ledger_entries: {
      ...accounts,
      ...created,
      ledger: ['customer', 'refunds', 'holds'],
      cause: ['order', 'adjustment', 'top_up'],
      reference: [at.order, at.none],
      'order.id': [at.order, at.none],
      'order.reference': [at.reference, 'ABC-000000'],
    },
    audit_entries: {
      ...accounts,
      actor: ['ops-1@operator.test', 'nobody'],
      action: ['account.updated', 'account.suspended', 'account.erased'],
      subject_type: ['accounts', 'nothing'],
      subject_id: [at.largest, at.none],
      at_gteq: [at.lastWeek],
      at_lteq: [at.lastWeek, at.longAgo],
    },
  };
}

/** Other routes that look things up. */
const otherRoutes = (at: Samples): LookUp[] => [
  ...[
    '+4930',
    at.number,
    at.reference,
    at.reference.slice(2, 7),
    'ops-77@',
    'customer-c4ca',
    'nowhere',
    at.largest,
    at.none,
  ].map((q) => ({ subject: 'search', by: q, path: `search?q=${encodeURIComponent(q)}` })),
  ...[at.largest, at.small].map((id) => ({
    subject: 'account_overview',
    by: id,
    path: `account_overview?account=${id}`,
  })),
  { subject: 'routing', by: at.number, path: `routing?from=4930&to=${at.number}` },
];

/** Throws if a filter of one of the types above has no value: a new filter is measured or the bench fails. */
export function lookUps(at: Samples): LookUp[] {
  const filters = filtersOf(at);
  const listed = registry.all().filter(({ endpoints }) => endpoints.list);
  const ofTypes = listed.flatMap(({ type, filters: declared }) => {
    const values = filters[type];
    const missing = values === undefined ? [] : Object.keys(declared).filter((name) => !(name in values));
    if (missing.length > 0) throw new Error(`the bench has no value for ${missing.join(', ')} of ${type}`);
    const filtered = Object.entries(values ?? {}).flatMap(([name, each]) =>
      each.map((value) => ({
        subject: type,
        by: `${name}=${value}`,
        path: `${type}?filter[${name}]=${encodeURIComponent(value)}`,
      })),
    );
    return [{ subject: type, by: 'no filter', path: type }, ...filtered];
  });
  return [...ofTypes, ...otherRoutes(at)];
}
