import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { DidAction, DidMethod } from '../../db/tables/dids.ts';
import type { Environment } from '../../environment.ts';
import { handle } from '../../jobs/handler.ts';
import { forgetHistoryTask } from './tasks.ts';

export const historyDays = 90;

export interface Happening {
  accountId: string;
  number: string;
  action: DidAction;
  method: DidMethod;
  /** For billing_cycles_count_changed. */
  from?: string;
  to?: string;
}

/** Writes down what happened to numbers. */
export async function recordHistory(
  trx: Kysely<Schema>,
  env: Environment,
  happenings: readonly Happening[],
  at: Date,
): Promise<void> {
  if (happenings.length === 0) return;
  const { rows } = await sql<{ made: boolean }>`
    select ensure_month_partition('did_history', ${at}) as made`.execute(trx);
  if (rows[0]?.made === true) await env.jobs.add(trx, forgetHistoryTask, {}, { at: endOfKeeping(at) });
  // As arrays: an order may bring more numbers than a statement may have parameters.
  const column = (read: (happening: Happening) => string | null) => happenings.map(read);
  await sql`
    insert into did_history (account_id, did_number, action, method, value_from, value_to, created_at)
    select h.*, ${at}::timestamptz from unnest(
      ${column(({ accountId }) => accountId)}::uuid[], ${column(({ number }) => number)}::text[],
      ${column(({ action }) => action)}::text[], ${column(({ method }) => method)}::text[],
      ${column(({ from }) => from ?? null)}::text[], ${column(({ to }) => to ?? null)}::text[]) as h
  `.execute(trx);
}

/** Months whose last row is past keeping go in one stroke; until then old rows are only not shown. */
export const forgetHistory = handle(forgetHistoryTask, async (_payload, { env }) => {
  const before = new Date(env.clock.now().getTime() - historyDays * 86_400_000);
  await sql`select drop_month_partitions('did_history', ${before})`.execute(env.db);
});

function endOfKeeping(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1 + historyDays));
}
