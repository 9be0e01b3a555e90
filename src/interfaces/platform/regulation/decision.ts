/**
 * A reviewer's decision: its types, the part that both kinds of submission share, the decision on an address
 * verification, and automatic decisions of test environments.
 */

import { type Kysely, type Selectable, sql } from 'kysely';
import type { Actor } from '../../../base/actor.ts';
import { writeAudit } from '../../../business/audit.ts';
import { billReleasedNumbers } from '../../../business/billing/billed-dates.ts';
import { endOfPeriods } from '../../../business/billing/calendar.ts';
import { scheduleReport } from '../../../business/callbacks/schedule-callback.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { AddressVerificationsTable } from '../../../engines/db/tables/regulation.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { scheduleDueCheck } from '../dids/due-dates.ts';

type AutoDecision = { type: ReviewedType; id: string; action: 'approve' | 'reject' };

export const autoDecideTask = defineTask<AutoDecision>('regulation.auto_decide', { priority: 'orders' });

export type Decision = { action: 'approve' } | { action: 'reject'; reasons: readonly string[]; comment: string | null };

export type ReviewedType = 'address_verifications' | 'emergency_verifications';

export interface Review {
  id: string;
  decision: Decision;
  by: Actor;
  /** From where, for the audit log. */
  source?: string;
  /** If set, only submissions of this account can be decided: in the sandbox customers decide their own. */
  accountId?: string;
}

export type ReviewOutcome =
  | { ok: true; status: 'approved' | 'rejected' }
  | { ok: false; reason: 'not_found' | 'already_decided' | 'insufficient_balance' };

/** What both kinds of submission have. */
type ReviewedRow = Omit<Selectable<AddressVerificationsTable>, 'service_description'>;

/** Contract: the two callbacks differ in the name of the reasons and in the separator between them. */
const reasonForms: Readonly<Record<ReviewedType, { member: string; separator: string }>> = {
  address_verifications: { member: 'reject_reason', separator: ', ' },
  emergency_verifications: { member: 'reject_reasons', separator: '; ' },
};

/**
 * Decides a pending submission: stores the decision, schedules the callback and writes the audit log. Runs in the
 * caller's transaction; the caller then releases the numbers or starts the service.
 */
export async function closeReview(
  trx: Kysely<Schema>,
  env: Environment,
  type: ReviewedType,
  review: Review,
): Promise<ReviewOutcome> {
  const { id, decision, by, source = null, accountId } = review;
  const { rows } = await sql<ReviewedRow & { emergency_calling_service_id?: string }>`
    select * from ${sql.table(type)} where id = ${id} for update
  `.execute(trx);
  const [verification] = rows;
  if (!verification || (accountId !== undefined && verification.account_id !== accountId)) {
    return { ok: false, reason: 'not_found' };
  }
  if (verification.status !== 'pending') return { ok: false, reason: 'already_decided' };
  const now = env.clock.now();
  const decided = decidedColumns(decision, now);
  await trx.updateTable(type).set(decided).where('id', '=', id).execute();
  const { emergency_calling_service_id } = verification;
  const { member, separator } = reasonForms[type];
  await scheduleReport(trx, env, type, verification, {
    status: decided.status,
    [member]: decision.action === 'reject' ? decision.reasons.join(separator) : '',
    reject_comment: decision.action === 'reject' ? (decision.comment ?? '') : '',
    ...(emergency_calling_service_id === undefined ? {} : { emergency_calling_service_id }),
  });
  await writeAudit(trx, {
    at: now,
    by,
    source,
    action: `verification.${decided.status}`,
    accountId: verification.account_id,
    subject: { type, id },
    details: { reference: verification.reference },
  });
  return { ok: true, status: decided.status };
}

function decidedColumns(decision: Decision, now: Date) {
  return decision.action === 'approve'
    ? { status: 'approved' as const, decided_at: now }
    : {
        status: 'rejected' as const,
        decided_at: now,
        reject_reasons: [...decision.reasons],
        reject_comment: decision.comment,
      };
}

export function decideAddressVerification(env: Environment, review: Review): Promise<ReviewOutcome> {
  return inTransaction(env.db, async (trx) => {
    const outcome = await closeReview(trx, env, 'address_verifications', review);
    if (outcome.ok && outcome.status === 'approved') await releaseNumbers(trx, env, review.id, env.clock.now());
    return outcome;
  });
}

/** Registers the numbers. For numbers that were not usable until now, the first paid month begins. */
async function releaseNumbers(trx: Kysely<Schema>, env: Environment, id: string, now: Date): Promise<void> {
  const expiresAt = endOfPeriods(now, 1);
  const { rows } = await sql<{ released: boolean }>`
    update dids d set
      address_verification_id = v.id,
      identity_id = a.identity_id,
      awaiting_registration = false,
      billed_since = case when w.waited then ${now}::timestamptz else d.billed_since end,
      periods = case when w.waited then 1 else d.periods end,
      expires_at = case when w.waited then ${expiresAt}::timestamptz else d.expires_at end,
      due_at = case when w.waited then ${expiresAt}::timestamptz else d.due_at end
    from address_verifications v
      join addresses a on a.id = v.address_id
      join address_verification_dids l on l.address_verification_id = v.id
      join lateral (select n.awaiting_registration and n.expires_at is null as waited from dids n where n.id = l.did_id) w on true
    where v.id = ${id} and d.id = l.did_id and not d.terminated
    returning w.waited as released
  `.execute(trx);
  if (!rows.some(({ released }) => released)) return;
  await billReleasedNumbers(trx, id, now);
  await scheduleDueCheck(trx, env, expiresAt);
}

export async function setAutoDecision(
  env: Environment,
  accountId: string,
  decision: 'approve' | 'reject' | null,
): Promise<void> {
  await env.db
    .insertInto('review_settings')
    .values({ account_id: accountId, auto_decision: decision })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ auto_decision: decision }))
    .execute();
}

/** Adds the job in the transaction of the submission, so that it runs right after. */
export async function scheduleAutoDecision(
  trx: Kysely<Schema>,
  env: Environment,
  type: ReviewedType,
  id: string,
  accountId: string,
): Promise<void> {
  const setting = await trx
    .selectFrom('review_settings')
    .select('auto_decision')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const rejected = await env.faults?.take(['review.rejected'], accountId, trx);
  const action = rejected ? 'reject' : setting?.auto_decision;
  if (action) await env.jobs.add(trx, autoDecideTask, { type, id, action });
}
