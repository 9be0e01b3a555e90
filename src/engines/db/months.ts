/**
 * Tables that grow without end have a partition per month (`ensure_month_partition`), which must exist before a row is
 * written.
 */
import type { Pool } from 'pg';

type MonthlyTable = 'cdrs_in' | 'cdrs_out' | 'call_events' | 'delivery_attempts';

const known = new WeakMap<Pool, Set<string>>();

/** When every row of this time's month is so many days old, so that the partition can be dropped. */
export const monthIsOld = (moment: Date, days: number): Date =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 1 + days));

/** Creates the partition for this time if it is missing; asks the database once per process, table and month. */
export async function ensureMonth(pool: Pool, table: MonthlyTable, moment: Date): Promise<void> {
  const seen = known.get(pool) ?? new Set<string>();
  known.set(pool, seen);
  const key = `${table} ${moment.toISOString().slice(0, 7)}`;
  if (seen.has(key)) return;
  await pool.query('select ensure_month_partition($1, $2)', [table, moment]);
  seen.add(key);
}
