/** What the overview of an account shows: statements over `$1`, the account, and `$2`, the time; each is limited. */
import { stateSql } from '../../verification/verification.ts';

const ofAccount = 'account_id = $1::uuid';
const shown = 10;

/** Single values. Counts of what may be many stop at 10,000. */
export const accountSums: Readonly<Record<string, string>> = {
  numbers: `select count(*)::int from (select from dids where ${ofAccount} and activated_at is not null limit 10000) n`,
  numbers_awaiting_registration: `select count(*)::int from dids where ${ofAccount} and awaiting_registration`,
  numbers_blocked: `select count(*)::int from dids where ${ofAccount} and blocked_by_staff`,
  next_renewal_at: `select min(due_at) from dids where ${ofAccount} and activated_at is not null`,
  voice_in_trunks: `select count(*)::int from voice_in_trunks where ${ofAccount}`,
  voice_out_trunks: `select count(*)::int from voice_out_trunks where ${ofAccount}`,
  calls_up: `select count(*)::int from open_calls where ${ofAccount}`,
  deliveries_failing: `select count(*)::int from (select from deliveries where ${ofAccount} and status in ('failed', 'dropped')
    and created_at > $2::timestamptz - interval '7 days' limit 10000) d`,
  verifications_of_a_day: `select count(*)::int from (select from verifications where ${ofAccount}
    and created_at > $2::timestamptz - interval '1 day' limit 10000) v`,
  prefixes_blocked: `select count(*)::int from prefix_blocks where ${ofAccount} and mode = 'block' and lifted_at is null`,
};

const state = stateSql('$2::timestamptz', 'verifications');

/** Lists, the newest first. */
export const accountParts = {
  voice_in_trunks: `select id, name, configuration_type, capacity_limit, created_at from voice_in_trunks
    where ${ofAccount} order by created_at desc limit ${shown}`,
  voice_out_trunks: `select id, name, status, capacity_limit, created_at from voice_out_trunks
    where ${ofAccount} order by created_at desc limit ${shown}`,
  orders: `select id, reference, kind, description, status, amount, created_at from orders
    where ${ofAccount} order by seq desc limit ${shown}`,
  calls_in: `select call_id, time_start, src_number, did_number, duration, success, disconnect_code from cdrs_in
    where ${ofAccount} and is_last order by time_start desc limit ${shown}`,
  calls_out: `select call_id, time_start, src_number, dst_number, duration, success, disconnect_code from cdrs_out
    where ${ofAccount} order by time_start desc limit ${shown}`,
  verifications: `select id, destination, delivery_method, ${state.status} as status, ${state.errorCode} as error_code, created_at
    from verifications
    where ${ofAccount} order by id desc limit ${shown}`,
  otp_applications: `select id, name, minimum_mode, daily_limit, created_at from otp_applications
    where ${ofAccount} and deleted_at is null order by created_at desc limit ${shown}`,
  api_keys: `select k.id, k.name, k.prefix, k.created_at, k.expires_at, u.last_used_at from api_keys k
    left join api_key_uses u on u.api_key_id = k.id
    where k.${ofAccount} and k.revoked_at is null order by u.last_used_at desc nulls last, k.created_at desc limit ${shown}`,
  open_submissions: `select * from (
      select id, 'address_verifications' as kind, reference, status, created_at from address_verifications
      where ${ofAccount} and status = 'pending'
      union all
      select id, 'emergency_verifications', reference, status, created_at from emergency_verifications
      where ${ofAccount} and status = 'pending') s order by created_at desc limit ${shown}`,
  failing_deliveries: `select id, kind, status, attempts, created_at from deliveries
    where ${ofAccount} and status in ('failed', 'dropped') order by created_at desc limit ${shown}`,
  notes: `select id, text, actor, created_at from account_notes where ${ofAccount} order by created_at desc limit 50`,
  audit: `select at, actor, action, subject_type, subject_id, reason from audit_log
    where ${ofAccount} order by id desc limit ${shown}`,
};
