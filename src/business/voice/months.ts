/** CDRs and events are stored in monthly partitions, which must exist before a row is written. */
import { ensureMonth } from '../../engines/db/months.ts';
import type { Environment } from '../../engines/environment.ts';

type MonthlyTable = 'cdrs_in' | 'cdrs_out' | 'call_events';

export async function ensureMonths(env: Environment, table: MonthlyTable, ...moments: Date[]): Promise<void> {
  for (const moment of moments) await ensureMonth(env.pool, table, moment);
}

/** How long events can be listed and replayed; CDRs are kept for ever. */
const eventsKeptDays = 90;

/** Creates the partitions of this month and the next two, so that no call waits for it, and drops the oldest events. */
export async function prepareMonths(env: Environment): Promise<void> {
  const now = env.clock.now();
  const months = [0, 1, 2].map((ahead) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)));
  for (const table of ['cdrs_in', 'cdrs_out', 'call_events'] as const) await ensureMonths(env, table, ...months);
  const before = new Date(now.getTime() - eventsKeptDays * 86_400_000);
  await env.pool.query(`select drop_month_partitions('call_events', $1)`, [before]);
}
