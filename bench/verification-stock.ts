/** Stored verifications of an exact number for benchmarks. */
import type { Environment } from '../src/engines/environment.ts';
import type { OtpApplication } from '../src/interfaces/verification/application.ts';

/** Fills the tables as months of starts would have: one record and one slot per number, all of them final. */
export async function fillVerifications(env: Environment, application: OtpApplication, count: number): Promise<void> {
  if (count === 0) return;
  const client = await env.pool.connect();
  try {
    for (const statement of emptyOfIndexes) await client.query(statement);
    // Ten million checks that the application exists would take longer than all the rest.
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '512MB'");
    await client.query(records, [count, application.id, application.accountId, env.clock.now()]);
    await client.query(slots);
    for (const statement of indexed) await client.query(statement);
  } finally {
    client.release(true);
  }
}

const emptyOfIndexes = [
  'alter table verifications drop constraint verifications_pkey',
  'drop index verifications_by_number',
  'alter table verification_slots drop constraint verification_slots_pkey',
];

/** A number each, spread over the range and never twice. */
const records = `
  insert into verifications (id, application_id, account_id, destination, delivery_method, status, fee, language,
    code_length, code_timeout, code_hash, created_at, expires_at, dispatch_started_at, dispatched_at, final_at)
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0')
          || '8000' || lpad(to_hex(i), 12, '0'))::uuid,
    $2, $3, '491' || lpad(((i::bigint * 7919) % 10000000000)::text, 10, '0'), 'sms', 'verified', 0, 'en-US',
    6, 300, decode(md5(i::text) || md5(i::text), 'hex'), at, at + interval '5 minutes', at, at, at
  from generate_series(1, $1::int) i, lateral (select $4::timestamptz - ($1 - i) * interval '1 millisecond') t(at)`;

const slots = `
  insert into verification_slots (application_id, destination, started_at, verification_id)
  select application_id, destination, created_at - interval '1 hour', id from verifications`;

const indexed = [
  'alter table verifications add primary key (id)',
  'create index verifications_by_number on verifications (application_id, destination, seq)',
  'alter table verification_slots add primary key (application_id, destination)',
  'vacuum analyze verifications',
  'vacuum analyze verification_slots',
];
