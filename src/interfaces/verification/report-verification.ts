/**
 * Reports a code: a table decides by status and code (contract 3.1, with the rulings), one conditional statement acts,
 * and a record that has changed meanwhile is read again.
 */

import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import { groupedByAccount } from '../../engines/db/grouped.ts';
import { asChange } from '../../engines/db/outcome.ts';
import type { Schema } from '../../engines/db/schema.ts';
import { runPrepared, statement } from '../../engines/db/statement.ts';
import { runAgain } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import type { OtpApplication } from './application.ts';
import { codeMatches } from './codes.ts';
import { type ErrorCode, VerificationError } from './errors.ts';
import { faultPoint } from './fault-points.ts';
import { parseReport } from './fields.ts';
import type { ShownRow } from './responses.ts';
import {
  asVerification,
  findVerification,
  pendingAt,
  type State,
  stateAt,
  stillPending,
  type Target,
  type VerificationRow,
} from './verification.ts';
import { countingForNumber, wrongCodesUsedUp } from './wrong-codes.ts';

const maxWrongReports = 3;
/** Reports that are compared before the dispatch is recorded. They cost no attempt; the limit prevents free guesses. */
const maxEarlyReports = 10;

interface Report {
  application: Pick<OtpApplication, 'id' | 'accountId'>;
  settings: { retentionHours: number; dailyWrongCodes: number | null };
  target: Target;
  /** The `data` object of the body; throws if there is none. */
  data(): Record<string, unknown>;
}

export async function reportVerification(env: Environment, report: Report): Promise<ShownRow> {
  const { application, settings, target } = report;
  const found = await findVerification(env, application, target, settings.retentionHours);
  if (found === null) throw new VerificationError('not_found');
  // The body is refused after the record has been looked up: 404 comes before 400.
  const { code } = parseReport(report.data(), found.delivery_method);
  let row = found;
  // Each turn means that another report, a start or the clock has changed the record meanwhile: at most five times.
  for (let turn = 0; turn < 8; turn++) {
    const isPending = stateAt(row, env.clock.now()).status === 'pending';
    if (isPending && (await wrongCodesUsedUp(env, row, settings.dailyWrongCodes))) row = await readAgain(env, row.id);
    const isCompared = await mayCompare(env, row);
    const isRight = isCompared && hasCode(env, row, code);
    const step = reportStep(stateAt(row, env.clock.now()), row.dispatched_at !== null, isRight);
    if (step.do === 'read_back') return row;
    if (step.do === 'refuse') {
      const isGuess = isCompared && step.with === 'not_ready_to_report';
      if (isGuess) await countingForNumber(env, row, settings.dailyWrongCodes, async () => true);
      throw new VerificationError(step.with);
    }
    faultPoint('report.matched');
    if (step.do === 'verify') {
      const verified = await verify(env, row);
      if (verified !== null) return verified;
    } else if (await countWrongCode(env, row, settings.dailyWrongCodes)) {
      faultPoint('report.counted');
      throw new VerificationError('code_invalid');
    }
    row = await readAgain(env, row.id);
  }
  throw new Error('a verification changed again and again under a report');
}

function hasCode(env: Environment, { id, code_hash: hashes }: VerificationRow, code: string): boolean {
  return hashes !== null && codeMatches(env.serverKey, id, code, hashes);
}

/**
 * Before the provider's response is recorded, the user may already have the code. Such an early report is counted
 * before its code is compared, so that parallel reports stay within the limit too.
 */
async function mayCompare(env: Environment, row: VerificationRow): Promise<boolean> {
  const { status } = stateAt(row, env.clock.now());
  if (status !== 'pending' || row.dispatched_at !== null) return true;
  if (row.code_hash === null || row.early_reports >= maxEarlyReports) return false;
  const { numUpdatedRows } = await env.db
    .updateTable('verifications')
    .set({ early_reports: sql`early_reports + 1` })
    .where('id', '=', row.id)
    .where('early_reports', '<', maxEarlyReports)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Marks as verified and charges in one statement. Returns null if the record is no longer pending. */
async function verify(env: Environment, { id, account_id, code_hash }: VerificationRow): Promise<ShownRow | null> {
  const right = { id, accountId: account_id, codeHash: code_hash?.toString('hex'), now: env.clock.now() };
  const verified = await asChange(() => markVerified(env.pool, right));
  faultPoint('report.committed');
  return verified;
}

interface RightCode {
  id: string;
  accountId: string;
  /** What the code was compared with, in hexadecimal digits. */
  codeHash: string | undefined;
  now: Date;
}

/** Right reports of an account that come together are one statement and one commit. */
const markVerified = groupedByAccount(
  'verification',
  ({ accountId }: RightCode) => accountId,
  async (pool: Pool, reports: readonly RightCode[]): Promise<(ShownRow | null)[]> => {
    const now = new Date(Math.max(...reports.map((report) => report.now.getTime())));
    const items = JSON.stringify(reports.map(({ id, codeHash }, place) => ({ id, codeHash, place })));
    // Two reports of one record may both be right: the one whose place is returned has verified it. All records are
    // locked before the account is, which is the last lock of every workflow.
    const marking = statement<ShownRow & { place: number }>`
      with verified as (
        update verifications v set status = 'verified', final_at = ${now}
        from (select * from json_to_recordset(${items}::json) as a (id uuid, "codeHash" text, place integer) order by id) a
        where v.id = a.id and v.code_hash = decode(a."codeHash", 'hex') and ${pendingAt(now, 'v')}
        returning a.place, v.id, v.destination, v.delivery_method, v.fee, v.language, v.app_hash, v.code_length,
          v.code_timeout, v.status, v.error_code, v.created_at, v.expires_at, v.dispatched_at
      )
      select v.*, case when v.fee > 0 or q.verification_id is not null then charge_verification(v.id, ${now}, true) end
      from (select * from verified order by id) v left join verification_quotes q on q.verification_id = v.id`;
    const rows = await runAgain(() => runPrepared(pool, 'verification_verify', marking));
    const byPlace = new Map(rows.map(({ place, ...row }) => [place, row]));
    return reports.map((_, place) => byPlace.get(place) ?? null);
  },
);

/** Counts and, at the third, ends the record in one statement: parallel reports are never counted past three. */
function countWrongCode(env: Environment, row: VerificationRow, dailyLimit: number | null): Promise<boolean> {
  return countingForNumber(env, row, dailyLimit, (db) => countInRecord(db, row.id, env.clock.now()));
}

async function countInRecord(db: Kysely<Schema>, id: string, now: Date): Promise<boolean> {
  const last = sql<boolean>`wrong_reports + 1 >= ${maxWrongReports}`;
  const { numUpdatedRows } = await db
    .updateTable('verifications')
    .set({
      wrong_reports: sql`wrong_reports + 1`,
      status: sql`case when ${last} then 'failed' else status end`,
      error_code: sql`case when ${last} then 'too_many_attempts' else error_code end`,
      final_at: sql`case when ${last} then ${now} else final_at end`,
    })
    .where('id', '=', id)
    .where(stillPending(now))
    .where('dispatched_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

async function readAgain(env: Environment, id: string): Promise<VerificationRow> {
  const row = await env.db.selectFrom('verifications').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new VerificationError('not_found');
  return asVerification(row);
}

/** What a report does. */
type ReportStep =
  | { do: 'verify' }
  /** One of three attempts is used; the response is `code_invalid`, also for the third. */
  | { do: 'count_wrong_code' }
  /** 200 with the record as it is. */
  | { do: 'read_back' }
  | { do: 'refuse'; with: ErrorCode };

/**
 * `dispatched`: the provider's response has been recorded. Before that the user may already have the code, so a right
 * code counts; a wrong one costs no attempt.
 */
export function reportStep(state: State, dispatched: boolean, codeIsRight: boolean): ReportStep {
  if (state.status === 'verified') {
    return codeIsRight ? { do: 'read_back' } : { do: 'refuse', with: 'already_verified' };
  }
  if (state.status !== 'pending') return { do: 'read_back' };
  if (codeIsRight) return { do: 'verify' };
  return dispatched ? { do: 'count_wrong_code' } : { do: 'refuse', with: 'not_ready_to_report' };
}
