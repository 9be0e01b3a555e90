/**
 * Stores starts of the sandbox that cost nothing, count nowhere and bring their message with them: those that arrive together are one
 * statement and one commit. `insert-verification.ts` has the statement of every other start, and explains its steps.
 */
import type { Pool } from 'pg';
import { groupedByPool } from '../db/grouped.ts';
import { statement } from '../db/statement.ts';
import { cooldownSeconds, pendingAt } from './verification.ts';

/** A new row of `verifications`, with the message that is sent for it. */
interface SentStart {
  id: string;
  application_id: string;
  account_id: string;
  destination: string;
  delivery_method: string;
  fee: string;
  language: string;
  app_hash: string | null;
  code_length: number;
  code_timeout: number;
  created_at: Date;
  expires_at: Date;
  /** In hexadecimal digits. */
  code_hash: string;
  text: string;
  code: string;
}

/** Whether it was stored; if not, the account has no balance or the number is in its cooldown. */
export const storeSentStart = groupedByPool(async (pool: Pool, starts: readonly SentStart[]): Promise<boolean[]> => {
  const now = new Date(Math.max(...starts.map(({ created_at }) => created_at.getTime())));
  // Slots are locked in one order. Two starts of one number fail together, and are then tried one after the other (grouped.ts).
  const { text, values } = statement`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(starts)}::json) as g (
        id uuid, application_id uuid, account_id uuid, destination text, delivery_method text, fee numeric, language text, app_hash text,
        code_length smallint, code_timeout smallint, created_at timestamptz, expires_at timestamptz, code_hash text, text text, code text)
    ), slot as (
      insert into verification_slots as s (application_id, destination, started_at, verification_id)
      select g.application_id, g.destination, g.created_at, g.id
      from given g join accounts a on a.id = g.account_id and a.balance + a.credit > 0
      order by g.application_id, g.destination
      on conflict (application_id, destination) do update
      set started_at = excluded.started_at, verification_id = excluded.verification_id, superseded_id = s.verification_id
      where s.started_at <= excluded.started_at - ${cooldownSeconds} * interval '1 second'
      returning verification_id, superseded_id
    ), superseded as (
      update verifications set status = 'failed', error_code = 'superseded', final_at = ${now}
      from slot where verifications.id = slot.superseded_id and ${pendingAt(now)}
    ), inserted as (
      insert into verifications (id, application_id, account_id, destination, delivery_method, fee, language, app_hash, code_length, code_timeout,
        created_at, expires_at, final_at, status, code_hash, dispatch_started_at, dispatched_at)
      select g.id, g.application_id, g.account_id, g.destination, g.delivery_method, g.fee, g.language, g.app_hash, g.code_length, g.code_timeout,
        g.created_at, g.expires_at, g.expires_at, 'pending', decode(g.code_hash, 'hex'), g.created_at, g.created_at
      from given g join slot on slot.verification_id = g.id
      returning id
    )
    insert into sandbox_messages (verification_id, account_id, destination, delivery_method, language, text, code, created_at)
    select g.id, g.account_id, g.destination, g.delivery_method, g.language, g.text, g.code, g.created_at
    from given g join inserted using (id) order by g.created_at
    returning verification_id`.compile();
  const { rows } = await pool.query<{ verification_id: string }>({ name: 'verification_starts_sent', text, values });
  const stored = new Set(rows.map(({ verification_id }) => verification_id));
  return starts.map(({ id }) => stored.has(id));
});
