import { inTransaction } from '../../db/transaction.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { fulfilWaitingTask } from '../orders/tasks.ts';

/** Ends a hold before its time; the number is on offer again at once. */
export async function releaseNumber(context: PlatformContext, id: string): Promise<void> {
  const { env } = context;
  await inTransaction(env.db, async (trx) => {
    await trx
      .deleteFrom('did_reservations')
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .execute();
    // Somebody's order may have been waiting for just this one.
    await env.jobs.add(trx, fulfilWaitingTask, {});
  });
}
