/** Deletes verifications past their retention, an hour of starts at a time. Readers hide them before that. */
import { sql } from 'kysely';
import { forgetCalls } from '../../business/callout/call-records.ts';
import type { Environment } from '../../engines/environment.ts';
import { handle, type TaskContext } from '../../engines/jobs/handler.ts';
import { planOnce } from '../../engines/jobs/plan-once.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { readSettings } from './settings.ts';
import { foldCounts } from './start-counts.ts';
import { uuidv7Floor } from './uuidv7.ts';

const forgetVerificationsTask = defineTask('verification.forget', { priority: 'background' });

const hourMs = 3_600_000;
const batchSize = 5_000;

/** Schedules the deletion of this hour's starts, once per hour and process, before the first of them is stored. */
export function planRetention(env: Environment, now: Date, retentionHours: number): Promise<void> {
  const hour = Math.floor(now.getTime() / hourMs);
  // The hour's last start is final ten minutes after its end at the latest.
  const at = new Date((hour + 1 + retentionHours) * hourMs + hourMs / 4);
  return planOnce(env, forgetVerificationsTask, at, String(hour));
}

export const forgetVerifications = handle(
  forgetVerificationsTask,
  async (_payload, { env, signal }: TaskContext<Environment>) => {
    const now = env.clock.now();
    const { retentionHours } = await readSettings(env);
    const before = new Date(now.getTime() - retentionHours * hourMs);
    while (!signal.aborted && (await forgetBatch(env, before)) === batchSize);
    await env.db.deleteFrom('verification_sent_messages').where('sent_at', '<', before).execute();
    await foldCounts(env, new Date(before.getTime() - 24 * hourMs));
    await env.db
      .deleteFrom('verification_used_signatures')
      .where('seen_at', '<', new Date(now.getTime() - hourMs))
      .execute();
    await env.db
      .deleteFrom('verification_blocked_starts')
      .where('created_at', '<', new Date(now.getTime() - 90 * 24 * hourMs))
      .execute();
    await forgetCalls(env, now);
  },
);

/** The oldest first by the primary key: an id is never younger than its record. Slots and messages go with them. */
async function forgetBatch(env: Environment, before: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from verifications where id in (
        select id from verifications
        where id < ${uuidv7Floor(before)} and final_at <= ${before}
        order by id limit ${batchSize} for update skip locked)
      returning id, application_id, destination
    ), slots as (
      delete from verification_slots s using gone
      where s.application_id = gone.application_id and s.destination = gone.destination and s.verification_id = gone.id
    ), quotes as (
      delete from verification_quotes q using gone where q.verification_id = gone.id
    ), messages as (
      delete from sandbox_messages m using gone where m.verification_id = gone.id
    )
    select count(*)::int as count from gone`.execute(env.db);
  return rows[0]?.count ?? 0;
}
