/**
 * When a supplier is asked and when not: after failures in a row it is set aside, longer each time, and one request
 * tries it when the pause is over. A supplier that asks for a pause (`Retry-After`) gets it. Kept in its row, so that
 * all processes know.
 */
import { sql } from 'kysely';
import type { Environment } from '../../engines/environment.ts';

const failuresThatSetAside = 3;
const firstWaitSeconds = 15;
const longestWaitSeconds = 600;
/** Of a pause that a supplier asks for. */
const longestPauseSeconds = 3_600;

type Breaking = Pick<Environment, 'db' | 'clock' | 'log'>;

/** Null if the supplier may be asked now; otherwise when it may be asked again. */
export async function pauseOf({ db, clock }: Breaking, id: string): Promise<Date | null> {
  const now = clock.now();
  const row = await db
    .selectFrom('suppliers')
    .select(['failures', 'set_aside_until'])
    .where('id', '=', id)
    .executeTakeFirst();
  const until = row?.set_aside_until ?? null;
  if (row === undefined || until === null) return null;
  if (until > now) return until;
  if (row.failures < failuresThatSetAside) return null;
  // Only the one that moves the pause on may try.
  const next = new Date(now.getTime() + firstWaitSeconds * 1000);
  const { numUpdatedRows } = await db
    .updateTable('suppliers')
    .set({ set_aside_until: next })
    .where('id', '=', id)
    .where('set_aside_until', '=', until)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n ? null : next;
}

export async function noteAnswer({ db }: Breaking, id: string): Promise<void> {
  await db
    .updateTable('suppliers')
    .set({ failures: 0, set_aside_until: null })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('failures', '>', 0), eb('set_aside_until', 'is not', null)]))
    .execute();
}

export async function noteFailure({ db, clock, log }: Breaking, id: string, reason: string): Promise<void> {
  const now = clock.now();
  const { rows } = await sql<{ name: string; failures: number; set_aside_until: Date | null }>`
    update suppliers
    set failures = failures + 1, last_failure = ${reason}, last_failure_at = ${now},
        set_aside_until = case when failures + 1 >= ${failuresThatSetAside} then ${now}::timestamptz
          + least(${longestWaitSeconds}, ${firstWaitSeconds} * 2 ^ least(10, failures + 1 - ${failuresThatSetAside})) * interval '1 second' end
    where id = ${id}
    returning name, failures, set_aside_until`.execute(db);
  const [row] = rows;
  if (row?.set_aside_until) log.warn({ supplier: row.name, reason, failures: row.failures }, 'a supplier is set aside');
}

/** Returns when it may be asked again: as it says in `Retry-After`, seconds or a date; without it a moment later. */
export async function notePause({ db, clock }: Breaking, id: string, retryAfter: string | undefined): Promise<Date> {
  const now = clock.now().getTime();
  const wanted = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : (Date.parse(retryAfter ?? '') - now) / 1000;
  const seconds = Math.min(longestPauseSeconds, Math.max(1, Number.isFinite(wanted) ? wanted : 1));
  const until = new Date(now + seconds * 1000);
  await db.updateTable('suppliers').set({ set_aside_until: until }).where('id', '=', id).execute();
  return until;
}
