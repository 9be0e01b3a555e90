/** The rows that are pending at a moment, as a condition: neither expired nor stale by then (the SQL of state.ts). */
import { type RawBuilder, sql } from 'kysely';
import { STALE_DISPATCH_SECONDS } from './state.ts';

/**
 * A row past its time is final and keeps its outcome, so whatever ends a pending row has to ask for this. `table` is the
 * name that verifications has in the query.
 */
export function stillPending(now: Date, table = 'verifications'): RawBuilder<boolean> {
  const staleBefore = new Date(now.getTime() - STALE_DISPATCH_SECONDS * 1000);
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql<boolean>`(${column('status')} = 'pending' and ${column('expires_at')} > ${now}
    and (${column('dispatched_at')} is not null or ${column('created_at')} > ${staleBefore}
         or ${column('code_timeout')} <= ${STALE_DISPATCH_SECONDS}))`;
}
