/** Cancels emergency calling services: by a request, or because a service has no numbers left. Declares their jobs. */

import type { Kysely } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { invalid, refuse } from '../../../engines/jsonapi/errors.ts';
import { callerOf, type PlatformContext } from '../context.ts';

type ServicePayload = { emergency_calling_service_id: string };

export const renewServiceTask = defineTask<ServicePayload>('emergency.renew', { priority: 'background' });
/** Added by SQL when a number leaves its service (`dids_left_emergency_service`). */
const cancelEmptyTask = defineTask<ServicePayload>('emergency.cancel_empty', { priority: 'background' });

const cancelableStatuses = ['new', 'changes_required', 'active', 'pending_update'];

/** Contract: not while the first submission is under review, and only once. */
export async function cancelService(context: PlatformContext, id: string): Promise<void> {
  const { env } = context;
  await inTransaction(env.db, async (trx) => {
    const service = await trx
      .selectFrom('emergency_calling_services')
      .select('status')
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (!cancelableStatuses.includes(service.status)) {
      refuse(
        invalid.base('Emergency Calling Service should be in NEW, CHANGES_REQUIRED, ACTIVE or PENDING_UPDATE status'),
      );
    }
    await endService(trx, env, id);
  });
}

/** Runs an hour after a number left a service; cancels the service if it has no numbers. */
export const cancelEmptyService = handle(
  cancelEmptyTask,
  async ({ emergency_calling_service_id: id }, { env }: TaskContext<Environment>) => {
    await inTransaction(env.db, async (trx) => {
      const service = await trx
        .selectFrom('emergency_calling_services')
        .select('status')
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst();
      if (!service || service.status === 'canceled') return;
      const number = await trx
        .selectFrom('dids')
        .select('id')
        .where('emergency_calling_service_id', '=', id)
        .executeTakeFirst();
      if (!number) await endService(trx, env, id);
    });
  },
);

/** Ends a service: removes its numbers and rejects a pending submission. */
export async function endService(trx: Kysely<Schema>, env: Environment, id: string): Promise<void> {
  const now = env.clock.now();
  await trx
    .updateTable('emergency_calling_services')
    .set({ status: 'canceled', canceled_at: now, renew_date: null })
    .where('id', '=', id)
    .execute();
  await trx
    .updateTable('emergency_verifications')
    .set({ status: 'rejected', decided_at: now, reject_reasons: ['Emergency Calling Service was canceled'] })
    .where('emergency_calling_service_id', '=', id)
    .where('status', '=', 'pending')
    .execute();
  await trx
    .updateTable('dids')
    .set({ emergency_calling_service_id: null, emergency_verification_id: null, emergency_enabled: false })
    .where('emergency_calling_service_id', '=', id)
    .execute();
}
