/** What has happened to an account in its sandbox, and what will happen next: one list in the order of the clock. */
import { sql } from 'kysely';
import type { Environment } from '../../../engines/environment.ts';
import { type ComingJobs, comingJobs } from '../../../engines/jobs/coming.ts';

interface Happening {
  at: Date;
  /** `request`, `order`, `callback`, `event`, `message`, `call`, `review`. */
  kind: string;
  id: string;
  text: string;
}

/**
 * The newest happenings, oldest of them first; `step` puts those of one moment in the order in which one causes the
 * other.
 */
export async function readHappenings(
  { db }: Environment,
  accountId: string,
  since: Date | null,
  limit: number,
): Promise<Happening[]> {
  const { rows } = await sql<Happening>`
    select at, kind, id, text from (
      select at, 9 as step, 'request' as kind, id::text, method || ' ' || path || ' ' || status as text
      from sandbox_requests where account_id = ${accountId}
      union all
      select created_at, 1, 'order', id::text, 'order ' || reference || ' is ordered' from orders where account_id = ${accountId}
      union all
      select finished_at, 2, 'order', id::text, 'order ' || reference || ' is ' || status
      from orders where account_id = ${accountId} and finished_at is not null
      union all
      select a.attempted_at, 3, 'callback', d.id::text,
             'attempt ' || a.attempt || ' of a callback about ' || d.kind || ': ' || coalesce(a.status::text, a.error, '')
      from deliveries d join delivery_attempts a on a.delivery_id = d.id where d.account_id = ${accountId}
      union all
      select coalesce(delivered_at, last_attempt_at), 4, 'event', id::text,
             stream || case when delivered_at is null then ' failed' else ' delivered' end
      from call_events where account_id = ${accountId} and attempts > 0
      union all
      select created_at, 2, 'message', id::text, delivery_method || ' to ' || destination
      from sandbox_messages where account_id = ${accountId}
      union all
      select time_start, 1, 'call', call_id, 'call from ' || src_number || ' to ' || did_number || ' ends with ' || disconnect_code
      from cdrs_in where account_id = ${accountId} and is_last
      union all
      select decided_at, 2, 'review', id::text, 'address verification ' || reference || ' is ' || status
      from address_verifications where account_id = ${accountId} and decided_at is not null
    ) all_of_them
    where at is not null and (${since}::timestamptz is null or at >= ${since}::timestamptz)
    order by at desc, step desc, id desc limit ${limit}`.execute(db);
  return rows.toReversed();
}

/** The jobs that wait for their time. What they are about is not shown: a sandbox may have several accounts. */
export const readComing = ({ pool }: Environment, limit: number): Promise<ComingJobs[]> => comingJobs(pool, limit);
