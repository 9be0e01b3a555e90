/**
 * A verification as stored, how it is found, and its status at a given moment: expiry and stale dispatch follow from
 * the clock, no job has to set them.
 */
import type { RawBuilder, Selectable } from 'kysely';
import type { Pool } from 'pg';
import { isUuid } from '../../base/uuid.ts';
import { groupedByAccount } from '../../engines/db/grouped.ts';
import { runPrepared, type Statement, statement, words } from '../../engines/db/statement.ts';
import type { VerificationsTable } from '../../engines/db/tables/verification.ts';
import type { Environment } from '../../engines/environment.ts';
import type { OtpApplication } from './application.ts';
import { type OutcomeCode, outcomeTexts } from './errors.ts';

export type VerificationRow = Omit<Selectable<VerificationsTable>, 'error_code' | 'status'> & StoredState;

/** Which record a request is about: by its id, or the newest of a number. */
export type Target = { id: string } | { number: string };

/** Null if the application has none, or if it is past its retention, deleted yet or not. */
export async function findVerification(
  env: Environment,
  { id: applicationId, accountId }: Pick<OtpApplication, 'id' | 'accountId'>,
  target: Target,
  retentionHours: number,
): Promise<VerificationRow | null> {
  if ('id' in target ? !isUuid(target.id) : target.number === '') return null;
  const now = env.clock.now();
  if ('number' in target) {
    const newest = select(statement`application_id = ${applicationId} and destination = ${target.number}
      and final_at > ${forgottenAt(now, retentionHours)} order by seq desc limit 1`);
    const [row] = await runPrepared(env.pool, 'verification_by_number', newest);
    return row === undefined ? null : asVerification(row);
  }
  const row = await readById(env.pool, { id: target.id, accountId });
  return row !== null && isVisible(row, applicationId, now, retentionHours) ? asVerification(row) : null;
}

/**
 * What clients of an account ask for together is one statement. By the ids alone: before PostgreSQL knows how many rows
 * an application has, it would read all of them by the other index and keep that plan.
 */
const readById = groupedByAccount(
  'verification',
  ({ accountId }: { id: string; accountId: string }) => accountId,
  async (pool: Pool, asked) => {
    const items = JSON.stringify(asked.map(({ id }, place) => ({ id, place })));
    const reading = statement<Selectable<VerificationsTable> & { place: number }>`
      select a.place, v.* from json_to_recordset(${items}::json) as a (id uuid, place integer)
      cross join lateral (select * from verifications where id = a.id limit 1) v`;
    const rows = await runPrepared(pool, 'verification_by_id', reading);
    const byPlace = new Map(rows.map(({ place, ...row }) => [place, row]));
    return asked.map((_, place) => byPlace.get(place) ?? null);
  },
);

/** Whether an application sees a record: its own ones, as long as they are kept. */
function isVisible(
  row: Pick<VerificationRow, 'application_id' | 'final_at'>,
  applicationId: string,
  now: Date,
  retentionHours: number,
): boolean {
  return row.application_id === applicationId && row.final_at > forgottenAt(now, retentionHours);
}

/** Records that became final by then are past their retention. */
const forgottenAt = (now: Date, retentionHours: number): Date => new Date(now.getTime() - retentionHours * 3_600_000);

function select(condition: Statement): Statement<Selectable<VerificationsTable>> {
  return statement`select * from verifications where ${condition}`;
}

export function asVerification(row: Selectable<VerificationsTable>): VerificationRow {
  return { ...row, error_code: asOutcome(row.error_code) };
}

function asOutcome(code: string | null): OutcomeCode | null {
  if (code === null) return null;
  if (isOutcome(code)) return code;
  throw new Error(`"${code}" is no outcome of a verification`);
}

function isOutcome(code: string): code is OutcomeCode {
  return Object.hasOwn(outcomeTexts, code);
}

/** No job stores `expired`: readers treat a pending row past its time as expired. */
export type Status = 'pending' | 'verified' | 'failed' | 'expired' | 'denied';

export interface StoredState {
  status: Status;
  error_code: OutcomeCode | null;
  created_at: Date;
  expires_at: Date;
  /** When a provider took the message; null until then. */
  dispatched_at: Date | null;
}

export interface State {
  status: Status;
  errorCode: OutcomeCode | null;
}

/** How long a dispatch may take before the number counts as unreachable. */
export const staleDispatchSeconds = 120;

export function stateAt(stored: StoredState, now: Date): State {
  if (stored.status !== 'pending') return { status: stored.status, errorCode: stored.error_code };
  // A row that became stale first stays so: final states do not change.
  if (stored.dispatched_at === null && now >= staleAt(stored) && staleAt(stored) < stored.expires_at) {
    return { status: 'failed', errorCode: 'stale_dispatch' };
  }
  if (now >= stored.expires_at) return { status: 'expired', errorCode: 'expired' };
  return { status: 'pending', errorCode: null };
}

/**
 * `stateAt` as two SQL expressions, for lists. `now` is the SQL of a time, `row` the name of verifications in the
 * query.
 */
export function stateSql(now: string, row: string): { status: string; errorCode: string } {
  const stale = `${row}.created_at + interval '${staleDispatchSeconds} seconds'`;
  const at = (final: string, stalled: string, expired: string, open: string) =>
    `case when ${row}.status <> 'pending' then ${final}
       when ${row}.dispatched_at is null and ${stale} <= ${now} and ${stale} < ${row}.expires_at then ${stalled}
       when ${row}.expires_at <= ${now} then ${expired} else ${open} end`;
  return {
    status: at(`${row}.status`, `'failed'`, `'expired'`, `'pending'`),
    errorCode: at(`${row}.error_code`, `'stale_dispatch'`, `'expired'`, 'null'),
  };
}

/** What each status means, for lists. */
export const statusTexts = {
  pending: 'The code can still be reported.',
  verified: 'The right code was reported.',
  failed: 'It could not be sent, too many codes were wrong, or a newer start replaced it.',
  expired: 'The code was not reported in time.',
  denied: 'It was refused before a code was sent.',
} as const satisfies Record<Status, string>;

export function staleAt(stored: Pick<StoredState, 'created_at'>): Date {
  return new Date(stored.created_at.getTime() + staleDispatchSeconds * 1000);
}

/**
 * The rows for which `stateAt` returns `pending`, as an SQL condition. Every statement that ends a pending row needs
 * it: a row past its time is final. `table` is the name of verifications in the query.
 */
export function pendingAt(now: Date, table = 'verifications'): Statement<boolean> {
  const staleBefore = new Date(now.getTime() - staleDispatchSeconds * 1000);
  const row = words(table);
  return statement`(${row}.status = 'pending' and ${row}.expires_at > ${now}
    and (${row}.dispatched_at is not null or ${row}.created_at > ${staleBefore}
         or ${row}.code_timeout <= ${staleDispatchSeconds}))`;
}

/** `pendingAt` for Kysely. */
export function stillPending(now: Date, table?: string): RawBuilder<boolean> {
  return pendingAt(now, table).toKysely();
}

/** The pause between two starts for one number of one application. */
export const cooldownSeconds = 30;

/** Whole seconds until a start is accepted, at least 1 while there is any wait; 0 from exactly 30 seconds on. */
export function cooldownLeft(startedAt: Date, now: Date): number {
  const left = Math.ceil((startedAt.getTime() + cooldownSeconds * 1000 - now.getTime()) / 1000);
  // A parallel start may be a moment later than `now`; the wait is still at most the whole cooldown.
  return Math.min(cooldownSeconds, Math.max(0, left));
}
