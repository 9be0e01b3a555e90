/** Decides a submission of either type: called by the command line, the sandbox and the job for automatic decisions. */

import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import { dayOf, monthsLater } from '../../../business/billing/calendar.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { jobActor } from '../../../engines/jobs/task.ts';
import {
  autoDecideTask,
  closeReview,
  type Decision,
  decideAddressVerification,
  type Review,
  type ReviewedType,
  type ReviewOutcome,
} from '../regulation/decision.ts';
import { CannotPay, chargeMonth, scheduleRenewal } from './renew-service.ts';

export const decideVerification = (env: Environment, type: ReviewedType, review: Review): Promise<ReviewOutcome> =>
  type === 'emergency_verifications'
    ? decideEmergencyVerification(env, review)
    : decideAddressVerification(env, review);

export const autoDecide = handle(autoDecideTask, async ({ type, id, action }, { env }: TaskContext<Environment>) => {
  const decision: Decision =
    action === 'approve' ? { action } : { action: 'reject', reasons: ['Rejected automatically'], comment: null };
  await decideVerification(env, type, { id, decision, by: jobActor(autoDecideTask) });
});

type Verification = Selectable<Schema['emergency_verifications']>;
type Service = Selectable<Schema['emergency_calling_services']>;
type ServiceChange = Updateable<Schema['emergency_calling_services']>;

async function decideEmergencyVerification(env: Environment, review: Review): Promise<ReviewOutcome> {
  try {
    return await inTransaction(env.db, (trx) => decide(trx, env, review));
  } catch (error) {
    if (error instanceof CannotPay) return { ok: false, reason: 'insufficient_balance' };
    throw error;
  }
}

async function decide(trx: Kysely<Schema>, env: Environment, review: Review): Promise<ReviewOutcome> {
  const outcome = await closeReview(trx, env, 'emergency_verifications', review);
  if (!outcome.ok) return outcome;
  const verification = await trx
    .selectFrom('emergency_verifications')
    .selectAll()
    .where('id', '=', review.id)
    .executeTakeFirstOrThrow();
  const service = await trx
    .selectFrom('emergency_calling_services')
    .selectAll()
    .where('id', '=', verification.emergency_calling_service_id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (outcome.status === 'approved') await approve(trx, env, service, verification);
  else await reject(trx, service);
  return outcome;
}

/** An active service stays active with its old address; a new service needs another submission. */
const reject = (trx: Kysely<Schema>, { id, status }: Service) =>
  updateService(trx, id, { status: status === 'pending_update' ? 'active' : 'changes_required' });

async function updateService(trx: Kysely<Schema>, id: string, change: ServiceChange): Promise<void> {
  await trx.updateTable('emergency_calling_services').set(change).where('id', '=', id).execute();
}

async function approve(
  trx: Kysely<Schema>,
  env: Environment,
  service: Service,
  verification: Verification,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update dids d set emergency_enabled = true, emergency_verification_id = ${verification.id},
      identity_id = coalesce(d.identity_id, (select a.identity_id from addresses a where a.id = ${verification.address_id}))
    where d.emergency_calling_service_id = ${service.id}
    returning d.id
  `.execute(trx);
  if (service.activated_at) return updateService(trx, service.id, { status: 'active' });
  const now = env.clock.now();
  const from = dayOf(now);
  const renewDate = monthsLater(from, 1);
  await updateService(trx, service.id, { status: 'active', activated_at: now, renew_date: renewDate });
  await scheduleRenewal(trx, env, service.id, renewDate);
  // All numbers left during the review: nothing to charge, and the service is canceled within the hour.
  if (rows.length === 0) return;
  const { callback_url, callback_method, sealed_signing_key } = verification;
  const orderId = await chargeMonth(trx, env, {
    service,
    qty: rows.length,
    from,
    to: renewDate,
    at: now,
    first: true,
    callback: { callback_url, callback_method, sealed_signing_key },
  });
  await updateService(trx, service.id, { order_id: orderId });
}
