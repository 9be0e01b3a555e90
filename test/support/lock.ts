/** Requests that wait for the lock of one row, for tests of what parallel requests do to each other. */
import type { Pool } from 'pg';
import { expect } from 'vitest';

/**
 * Sends requests while the test holds the lock of a row, and lets the row go once all of them wait for it. They get the
 * lock in the order in which they are given.
 */
export async function whileLocked<T>(
  pool: Pool,
  table: string,
  id: string,
  requests: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const holder = await pool.connect();
  const responses: Promise<T>[] = [];
  try {
    await holder.query('begin');
    await holder.query(`select from ${table} where id = $1 for update`, [id]);
    for (const send of requests) {
      responses.push(send());
      await expect.poll(() => waiting(pool)).toBe(responses.length);
    }
  } finally {
    await holder.query('commit');
    holder.release();
  }
  return Promise.all(responses);
}

async function waiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}
