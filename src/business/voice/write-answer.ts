/** Writes that calls were answered: their rows, and the connect events for those who want them. */
import type { Pool } from 'pg';
import { groupedByPool } from '../../engines/db/grouped.ts';

/** What is written when a call is answered. */
interface Answer {
  id: string;
  call: object;
  account_id: string | null;
  stream: string;
  /** The body of the event, null if nobody wants it. */
  event: string | null;
  at: Date;
}

/** Returns whether the call was still open. Answers of one moment are written together. */
export const writeAnswer = groupedByPool(async (pool: Pool, answers: readonly Answer[]) => {
  const values = [JSON.stringify(answers)];
  const { rows } = await pool.query<{ id: string }>({ name: 'voice_answered', text: answeredStatement, values });
  const open = new Set(rows.map(({ id }) => id));
  return answers.map(({ id }) => open.has(id));
});

/** The list of ids lets PostgreSQL use the index however many calls are open. */
export const answeredStatement = `
  with given as materialized (
    select * from json_to_recordset($1::json)
      as x (id text, call jsonb, account_id uuid, stream text, event text, at timestamptz)
  ), active as (
    update open_calls o set state = 'answered', call = g.call from given g
    where o.id = g.id and o.id = any(array(select id from given))
    returning o.id
  ), event as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select g.account_id, g.stream, g.id, g.event, g.at, g.at from given g join active using (id) where g.event is not null
  )
  select id from active`;
