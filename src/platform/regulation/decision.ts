/** A reviewer's decision on an address or emergency verification: its types, and the part that both kinds share. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { scheduleCallback } from '../../callbacks/schedule-callback.ts';
import type { Schema } from '../../db/schema.ts';
import type { ReviewedTable } from '../../db/tables/regulation.ts';
import type { Environment } from '../../environment.ts';
import { writeAudit } from '../audit.ts';

export type Decision = { action: 'approve' } | { action: 'reject'; reasons: readonly string[]; comment: string | null };

export type ReviewedType = 'address_verifications' | 'emergency_verifications';

export interface Review {
  id: string;
  decision: Decision;
  /** The name of the reviewer in the audit log. */
  actor: string;
  /** If set, only submissions of this account can be decided: in the sandbox customers decide their own. */
  accountId?: string;
}

export type ReviewOutcome =
  | { ok: true; status: 'approved' | 'rejected' }
  | { ok: false; reason: 'not_found' | 'already_decided' | 'insufficient_balance' };

/** Contract: the two callbacks differ in the name of the reasons and in the separator separator them. */
const REASONS: Readonly<Record<ReviewedType, { member: string; separator: string }>> = {
  address_verifications: { member: 'reject_reason', separator: ', ' },
  emergency_verifications: { member: 'reject_reasons', separator: '; ' },
};

/**
 * Decides a pending submission: stores the decision, schedules the callback and writes the audit log. Runs in the caller's
 * transaction; the caller then releases the numbers or starts the service.
 */
export async function closeReview(
  trx: Kysely<Schema>,
  env: Environment,
  type: ReviewedType,
  review: Review,
): Promise<ReviewOutcome> {
  const { id, decision, actor, accountId } = review;
  const { rows } = await sql<Selectable<ReviewedTable> & { emergency_calling_service_id?: string }>`
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
  const { callback_url: url, callback_method: method, emergency_calling_service_id } = verification;
  if (url !== null && method !== null) {
    const { member, separator } = REASONS[type];
    await scheduleCallback(trx, env, {
      accountId: verification.account_id,
      kind: type,
      resourceId: id,
      url,
      method,
      payload: {
        id,
        type,
        status: decided.status,
        [member]: decision.action === 'reject' ? decision.reasons.join(separator) : '',
        reject_comment: decision.action === 'reject' ? (decision.comment ?? '') : '',
        ...(emergency_calling_service_id === undefined ? {} : { emergency_calling_service_id }),
      },
      sealedSigningKey: verification.sealed_signing_key,
    });
  }
  await writeAudit(trx, {
    at: now,
    actor,
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
