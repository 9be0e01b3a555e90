/**
 * Stores starts: pending, with cooldown slot and dispatch job; or denied, with neither. What decides about a start in
 * the database is one function, `start_verifications` (src/engines/db/functions/verification), and the starts of an
 * account that come together are one call of it.
 */
import type { Insertable } from 'kysely';
import pg, { type Pool } from 'pg';
import { groupedByAccount } from '../../engines/db/grouped.ts';
import { asChange } from '../../engines/db/outcome.ts';
import { runPrepared, statement } from '../../engines/db/statement.ts';
import type { VerificationsTable } from '../../engines/db/tables/verification.ts';
import { runAgain } from '../../engines/db/transaction.ts';
import { addAndRun } from '../../engines/jobs/added-job.ts';
import type { TaskContext } from '../../engines/jobs/handler.ts';
import { priorityOf } from '../../engines/jobs/task.ts';
import type { OtpApplication } from './application.ts';
import { planConversion } from './conversion/guard-prefixes.ts';
import { sendCode } from './delivery/dispatch.ts';
import { dispatchTask, firstDispatch } from './delivery/waiting-code.ts';
import type { VerificationEnvironment } from './environment.ts';
import { type DenialCode, VerificationError } from './errors.ts';
import { faultPoint } from './fault-points.ts';
import type { StartFields } from './fields.ts';
import type { ShownRow } from './responses.ts';
import { planRetention } from './retention.ts';
import { scenarioOf } from './sandbox-scenarios.ts';
import type { VerificationSettings } from './settings.ts';
import { foldCounter, LimitReached, type StartCount, storedCounts } from './start-counts.ts';
import {
  asVerification,
  cooldownLeft,
  cooldownSeconds,
  staleDispatchSeconds,
  type VerificationRow,
} from './verification.ts';

export interface NewVerification {
  id: string;
  application: OtpApplication;
  fields: StartFields;
  language: string;
  settings: VerificationSettings;
  /** A guard that needs no database refuses it, unless something before in the contract's order does. */
  isRefused: boolean;
  counts: readonly StartCount[];
}

/** A guard that knows the number refuses the start; all that comes before in the contract's order has passed. */
export class RefusedByGuard extends Error {}

/** Makes all checks and stores nothing. Throws VerificationError, RefusedByGuard or LimitReached; returns the fee. */
export async function requireStart(env: VerificationEnvironment, verification: NewVerification): Promise<string> {
  const { fee } = await decided(env, verification, await decide(env.pool, itemOf(env, verification, true, null)));
  return fee;
}

/** Checks and stores the start, and has its code sent. Nothing is stored when it throws as `requireStart` does. */
export async function insertPending(env: VerificationEnvironment, verification: NewVerification): Promise<ShownRow> {
  const now = env.clock.now();
  await planRetention(env, now, verification.settings.retentionHours);
  await planConversion(env, verification.settings, now);
  faultPoint('start.planned');
  // Who has the role of a worker sends the code itself: everything that is needed for that is here.
  return addAndRun(env, dispatchTask, async (takenBy) => {
    const item = itemOf(env, verification, false, takenBy);
    const { fee, job_id: id } = await decided(env, verification, await asChange(() => decide(env.pool, item)));
    faultPoint('start.committed');
    const result: ShownRow = { ...item, fee, status: 'pending', error_code: null, dispatched_at: null };
    const dispatch = firstDispatch(item, verification.application.senders);
    const run = ({ signal }: TaskContext) => sendCode(env, dispatch, signal);
    const payload = { verification_id: item.id };
    return { result, job: takenBy === null ? null : { id, payload, dueAt: item.created_at, run } };
  });
}

/** A denied record supersedes nothing and starts no cooldown, but is the newest of its number. */
export async function insertDenied(
  env: VerificationEnvironment,
  verification: NewVerification,
  code: DenialCode,
  fee: string,
): Promise<VerificationRow> {
  const now = env.clock.now();
  await planRetention(env, now, verification.settings.retentionHours);
  const values: Insertable<VerificationsTable> = {
    ...columns(verification, now),
    fee,
    status: 'denied',
    error_code: code,
    final_at: now,
  };
  return asVerification(
    await env.db.insertInto('verifications').values(values).returningAll().executeTakeFirstOrThrow(),
  );
}

/** A start as the database is given it: the columns of its record, and what it is decided by. */
type StartItem = ReturnType<typeof itemOf>;

function itemOf(
  env: VerificationEnvironment,
  verification: NewVerification,
  onlyCheck: boolean,
  takenBy: string | null,
) {
  const { fields, isRefused, counts } = verification;
  const isSandbox = env.name === 'sandbox';
  return {
    ...columns(verification, env.clock.now()),
    is_free: isSandbox,
    // Null has the database look for a route.
    is_reachable: isSandbox ? scenarioOf(fields.destination) !== 'unsupported' : null,
    is_refused: isRefused,
    counts: counts.map(({ guard, subject, windowStart, velocity }, place) => ({
      place,
      guard,
      subject,
      window_start: windowStart,
      most: velocity.limit,
      is_counted: guard !== 'wrong_codes',
    })),
    counted_in: storedCounts(counts),
    only_check: onlyCheck,
    task: dispatchTask.name,
    priority: priorityOf(dispatchTask),
    taken_by: takenBy,
  };
}

function columns({ id, application, fields, language }: NewVerification, now: Date) {
  const expiresAt = new Date(now.getTime() + application.codeTimeout * 1000);
  return {
    id,
    application_id: application.id,
    account_id: application.accountId,
    destination: fields.destination,
    delivery_method: fields.deliveryMethod,
    language,
    app_hash: fields.appHash,
    code_length: application.codeLength,
    code_timeout: application.codeTimeout,
    created_at: now,
    expires_at: expiresAt,
    final_at: expiresAt,
  };
}

/** What `start_verifications` returns for a start. */
interface Decision {
  place: number;
  refusal: 'unreachable' | 'balance' | 'cooldown' | 'guard' | 'limit' | null;
  /** The place of the counter that is at its limit. */
  full_count: number | null;
  /** The last start for this number that was not denied. */
  started_at: Date | null;
  /** VAT included. */
  fee: string;
  /** A counter has many rows. */
  crowded: boolean;
  job_id: string;
}

const decide = groupedByAccount(
  'verification',
  ({ account_id }: StartItem) => account_id,
  async (pool: Pool, starts: readonly StartItem[]) => {
    const items = JSON.stringify(starts.map((start, place) => ({ ...start, place })));
    const start = statement<Decision>`
      select * from start_verifications(${items}::json, ${cooldownSeconds} * interval '1 second', ${staleDispatchSeconds})`;
    const rows = await runAgain(() => runPrepared(pool, 'verification_start', start)).catch(refuseOverspent);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return starts.map((_, place) => byPlace.get(place) ?? null);
  },
);

async function decided(
  env: VerificationEnvironment,
  { counts }: NewVerification,
  decision: Decision | null,
): Promise<Decision> {
  if (decision === null) throw new Error('the database has not said what became of a start');
  if (decision.crowded) for (const count of counts) await foldCounter(env, count);
  switch (decision.refusal) {
    case null:
      return decision;
    case 'unreachable':
      throw new VerificationError('destination_not_supported_for_channel');
    case 'balance':
      throw new VerificationError('balance_insufficient');
    case 'cooldown': {
      const left = decision.started_at === null ? 0 : cooldownLeft(decision.started_at, env.clock.now());
      throw new VerificationError('destination_in_cooldown', Math.max(1, left));
    }
    case 'guard':
      throw new RefusedByGuard();
    case 'limit': {
      const full = counts[decision.full_count ?? 0];
      throw full === undefined ? new Error('a start was refused by no counter') : new LimitReached(full);
    }
  }
}

/** What `quote_verification` (src/engines/db/functions/verification) throws. */
const overspentState = 'TL402';

function refuseOverspent(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.code === overspentState)
    throw new VerificationError('balance_insufficient');
  throw error;
}
