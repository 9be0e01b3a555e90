/**
 * Deletes traces and counts of refused calls that are older than the setting says, and what is too much for one
 * account.
 */
import { sql } from 'kysely';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { planOnce } from '../../../engines/jobs/plan-once.ts';
import { defineTask } from '../../../engines/jobs/task.ts';

const forgetTracesTask = defineTask('voice.forget_traces', { priority: 'background' });
const trimTracesTask = defineTask('voice.trim_traces', { priority: 'background' });

const hourMs = 3_600_000;
const batchSize = 1_000;
/** The newest traces of one account that are kept. */
const mostTracesPerAccount = 5_000;

/** Called before anything is stored: plans what deletes this hour's traces, once per hour and process. */
export async function planForgetting(env: Environment): Promise<void> {
  const hour = Math.floor(env.clock.now().getTime() / hourMs);
  await planOnce(env, trimTracesTask, new Date((hour + 1) * hourMs), String(hour));
  await planOnce(env, forgetTracesTask, new Date((hour + 1 + env.traceHours) * hourMs), String(hour));
}

export const forgetTraces = handle(forgetTracesTask, async (_payload, { env, signal }: TaskContext<Environment>) => {
  const before = new Date(env.clock.now().getTime() - env.traceHours * hourMs);
  while (!signal.aborted && (await deleteTraces(env, sql`started_at < ${before}`)) === batchSize);
  await env.db.deleteFrom('call_refusals').where('last_seen', '<', before).execute();
});

/** Calls to numbers of nobody count as those of one account. */
export const trimTraces = handle(trimTracesTask, async (_payload, { env, signal }: TaskContext<Environment>) => {
  const ranked = sql`
    select id, row_number() over (partition by account_id order by started_at desc) as place from call_traces`;
  const surplus = sql`id in (select id from (${ranked}) r where place > ${mostTracesPerAccount})`;
  while (!signal.aborted && (await deleteTraces(env, surplus)) === batchSize);
});

async function deleteTraces(env: Environment, condition: ReturnType<typeof sql>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from call_traces where id in (select id from call_traces where ${condition} limit ${batchSize})
  `.execute(env.db);
  return Number(numAffectedRows ?? 0);
}
