/** What every decision is made of, whatever was handed in: it is made once, the customer is told, the log remembers. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { scheduleCallback } from '../../callbacks/schedule-callback.ts';
import type { Schema } from '../../db/schema.ts';
import type { ReviewedTable } from '../../db/tables/regulation.ts';
import type { Environment } from '../../environment.ts';
import { writeAudit } from '../audit.ts';
import { decidedColumns, type Review, type ReviewedType, type ReviewOutcome } from './decision.ts';

/** Contract: one word for reasons in the one callback, its plural in the other, and other marks between them. */
const REASONS: Readonly<Record<ReviewedType, { member: string; between: string }>> = {
  address_verifications: { member: 'reject_reason', between: ', ' },
  emergency_verifications: { member: 'reject_reasons', between: '; ' },
};

/** Runs in the caller's transaction; what follows from the decision is the caller's. */
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
    const { member, between } = REASONS[type];
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
        [member]: decision.action === 'reject' ? decision.reasons.join(between) : '',
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
