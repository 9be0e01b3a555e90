/** The rows that are pending at a moment, as a condition: neither expired nor stale by then (the SQL of state.ts). */
import type { RawBuilder } from 'kysely';
import { type Statement, statement, words } from '../db/statement.ts';
import { STALE_DISPATCH_SECONDS } from './state.ts';

/**
 * A row past its time is final and keeps its outcome, so whatever ends a pending row has to ask for this. `table` is the
 * name that verifications has in the query.
 */
export function pendingAt(now: Date, table = 'verifications'): Statement<boolean> {
  const staleBefore = new Date(now.getTime() - STALE_DISPATCH_SECONDS * 1000);
  const row = words(table);
  return statement`(${row}.status = 'pending' and ${row}.expires_at > ${now}
    and (${row}.dispatched_at is not null or ${row}.created_at > ${staleBefore}
         or ${row}.code_timeout <= ${STALE_DISPATCH_SECONDS}))`;
}

/** The same for Kysely. */
export function stillPending(now: Date, table?: string): RawBuilder<boolean> {
  return pendingAt(now, table).toKysely();
}
