/**
 * The work that waits in a copy. Jobs stay behind, since they may be anybody's, and what they carry is not checked;
 * from the rows it follows which there have to be. boot/tasks.test.ts asks of every task whether it is one of these.
 */
import type pg from 'pg';

interface PlannedAgain {
  readonly task: string;
  readonly priority?: number;
  /** SQL with `payload`, `at` and `key` of each job. */
  readonly jobs: string;
}

const startOf = (day: string): string => `(${day})::timestamp at time zone 'utc'`;

export const plannedAgain: readonly PlannedAgain[] = [
  {
    task: 'orders.fulfil',
    priority: -30,
    jobs: `select json_build_object('order_id', o.id) as payload, null as key,
             o.created_at + coalesce((a.limits ->> 'sandbox_order_seconds')::int, 0) * interval '1 second' as at
           from orders o join accounts a on a.id = o.account_id where o.status = 'pending' and o.kind = 'did'`,
  },
  {
    task: 'dids.settle_due',
    jobs: `select '{}'::json as payload, due_at as at,
             'dids.settle_due:' || to_char(due_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as key
           from (select distinct due_at from dids where due_at is not null) d`,
  },
  {
    task: 'capacity.renew',
    jobs: `select json_build_object('capacity_pool_id', id) as payload, ${startOf('renew_date')} as at,
             'capacity.renew:' || id as key from capacity_pools`,
  },
  {
    task: 'emergency.renew',
    jobs: `select json_build_object('emergency_calling_service_id', id) as payload, ${startOf('renew_date')} as at,
             'emergency.renew:' || id as key
           from emergency_calling_services where renew_date is not null and status in ('active', 'pending_update')`,
  },
  {
    task: 'exports.make',
    jobs: `select json_build_object('export_id', id) as payload, created_at as at, null as key
           from exports where status in ('pending', 'processing')`,
  },
  {
    task: 'exports.delete',
    jobs: `select json_build_object('export_id', id) as payload, completed_at + interval '1 month' as at, null as key
           from exports where completed_at is not null`,
  },
  {
    task: 'regulation.expire_file',
    jobs: `select json_build_object('encrypted_file_id', id) as payload, expires_at as at, null as key from encrypted_files`,
  },
  {
    task: 'voice.review_threshold',
    jobs: `select json_build_object('voice_out_trunk_id', id) as payload, environment_time.now() + interval '1 day' as at,
             'threshold ' || id as key from voice_out_trunks where threshold_reached`,
  },
];

/**
 * They recur and plan themselves, are over in a moment, are the operator's, or send something out that the original
 * sends already.
 */
export const notPlannedAgain: readonly string[] = [
  'catalogue.import',
  'deliveries.attempt',
  'deliveries.forget',
  'dids.forget_history',
  'emergency.cancel_empty',
  'mail.send',
  'money.issue_bills',
  'money.low_balance',
  'money.mail_bill',
  'money.verify',
  'objects.delete',
  'operator.end_carrier_test',
  'operator.test_call',
  'operator.test_provider',
  'orders.forget_keys',
  'orders.fulfil_waiting',
  'orders.restock_demo',
  'panel.forgotten_password',
  'prices.apply',
  'regulation.auto_decide',
  'regulation.forget_upload',
  'stock.release',
  'suppliers.compare',
  'suppliers.follow',
  'suppliers.obtain',
  'suppliers.read_catalogue',
  'suppliers.sweep_stock',
  'verification.conversion',
  'verification.dispatch',
  'verification.forget',
  'verification.give_up',
  'voice.deliver_events',
  'voice.end_account_calls',
  'voice.forget_traces',
  'voice.renew_call',
  'voice.trim_traces',
];

export async function planAgain(client: pg.Client): Promise<void> {
  for (const { task, priority = 0, jobs } of plannedAgain) {
    await client.query(
      `select queue_job($1, j.payload, environment_time.now(), j.at, priority => $2, key => j.key) from (${jobs}) j`,
      [task, priority],
    );
  }
}
