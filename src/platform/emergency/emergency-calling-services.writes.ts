import { inTransaction } from '../../db/transaction.ts';
import { handle } from '../../jobs/handler.ts';
import { invalid, refuse } from '../../jsonapi/errors.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { endService } from './end-service.ts';
import { cancelEmptyTask } from './tasks.ts';

const CANCELABLE = ['new', 'changes_required', 'active', 'pending_update'];

/** Contract: not while the first submission is under review, and never twice. */
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
    if (!CANCELABLE.includes(service.status)) {
      refuse(
        invalid.base('Emergency Calling Service should be in NEW, CHANGES_REQUIRED, ACTIVE or PENDING_UPDATE status'),
      );
    }
    await endService(trx, env, id);
  });
}

/** An hour after a number left: a service that has none any more is cancelled. */
export const cancelEmptyService = handle(cancelEmptyTask, async ({ emergency_calling_service_id: id }, { env }) => {
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
});
