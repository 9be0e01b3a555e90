import { type Kysely, type Selectable, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { inTransaction } from '../../db/transaction.ts';
import { scheduleCallback } from '../../deliveries/schedule-callback.ts';
import type { Environment } from '../../environment.ts';
import { dayOf, monthsLater } from '../dids/billing-period.ts';
import { writeAudit } from '../regulation/review/audit.ts';
import { decidedColumns, type Review, type ReviewOutcome } from '../regulation/review/decision.ts';
import { lookAgain } from './renew-service.ts';
import { chargeMonth } from './service-order.ts';

type Verification = Selectable<Schema['emergency_verifications']>;
type Service = Selectable<Schema['emergency_calling_services']>;

/** Thrown to undo what was begun: the customer cannot pay, so nothing has happened. */
class CannotPay extends Error {}

/** Decides once: the service starts, changes its address, or goes back to the customer. */
export async function decideEmergencyVerification(env: Environment, review: Review): Promise<ReviewOutcome> {
  try {
    return await inTransaction(env.db, (trx) => decide(trx, env, review));
  } catch (error) {
    if (error instanceof CannotPay) return { ok: false, reason: 'insufficient_balance' };
    throw error;
  }
}

async function decide(trx: Kysely<Schema>, env: Environment, review: Review): Promise<ReviewOutcome> {
  const { id, decision, actor, accountId } = review;
  const now = env.clock.now();
  const verification = await trx
    .selectFrom('emergency_verifications')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!verification || (accountId !== undefined && verification.account_id !== accountId)) {
    return { ok: false, reason: 'not_found' };
  }
  if (verification.status !== 'pending') return { ok: false, reason: 'already_decided' };
  const decided = decidedColumns(decision, now);
  await trx.updateTable('emergency_verifications').set(decided).where('id', '=', id).execute();
  await tell(trx, env, verification, review, decided.status);
  await writeAudit(trx, {
    at: now,
    actor,
    action: `verification.${decided.status}`,
    accountId: verification.account_id,
    subject: { type: 'emergency_verifications', id },
    details: { reference: verification.reference },
  });
  const service = await trx
    .selectFrom('emergency_calling_services')
    .selectAll()
    .where('id', '=', verification.emergency_calling_service_id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (decision.action === 'approve') await approve(trx, env, service, verification, now);
  else await sendBack(trx, service);
  return { ok: true, status: decided.status };
}

/** An active service whose change was refused goes on as it was. */
async function sendBack(trx: Kysely<Schema>, service: Service): Promise<void> {
  await trx
    .updateTable('emergency_calling_services')
    .set({ status: service.status === 'pending_update' ? 'active' : 'changes_required' })
    .where('id', '=', service.id)
    .execute();
}

async function approve(
  trx: Kysely<Schema>,
  env: Environment,
  service: Service,
  verification: Verification,
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update dids d set emergency_enabled = true, emergency_verification_id = ${verification.id},
      identity_id = coalesce(d.identity_id, (select a.identity_id from addresses a where a.id = ${verification.address_id}))
    where d.emergency_calling_service_id = ${service.id}
    returning d.id
  `.execute(trx);
  if (service.activated_at) {
    await trx
      .updateTable('emergency_calling_services')
      .set({ status: 'active' })
      .where('id', '=', service.id)
      .execute();
    return;
  }
  const from = dayOf(now);
  const renewDate = monthsLater(from, 1);
  const month = { service, qty: rows.length, from, to: renewDate, at: now, first: true, callback: verification };
  await trx
    .updateTable('emergency_calling_services')
    .set({ status: 'active', activated_at: now, renew_date: renewDate })
    .where('id', '=', service.id)
    .execute();
  await lookAgain(trx, env, service.id, renewDate);
  // All its numbers were taken out while it was under review: there is nothing to pay, and soon nothing to run.
  if (rows.length === 0) return;
  const { callback_url, callback_method, sealed_signing_key } = verification;
  const orderId = await chargeMonth(trx, env, {
    ...month,
    callback: { callback_url, callback_method, sealed_signing_key },
  });
  if (orderId === null) throw new CannotPay();
  await trx.updateTable('emergency_calling_services').set({ order_id: orderId }).where('id', '=', service.id).execute();
}

async function tell(
  trx: Kysely<Schema>,
  env: Environment,
  verification: Verification,
  { decision }: Review,
  status: 'approved' | 'rejected',
): Promise<void> {
  const { id, callback_url: url, callback_method: method } = verification;
  if (url === null || method === null) return;
  await scheduleCallback(trx, env, {
    accountId: verification.account_id,
    kind: 'emergency_verifications',
    resourceId: id,
    url,
    method,
    payload: {
      id,
      type: 'emergency_verifications',
      status,
      reject_reasons: decision.action === 'reject' ? decision.reasons.join('; ') : '',
      reject_comment: decision.action === 'reject' ? (decision.comment ?? '') : '',
      emergency_calling_service_id: verification.emergency_calling_service_id,
    },
    sealedSigningKey: verification.sealed_signing_key,
  });
}
