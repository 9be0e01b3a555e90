import { callerOf, type PlatformContext } from '../context.ts';

/** Ends a hold before its time; the number is on offer again at once. */
export async function releaseNumber(context: PlatformContext, id: string): Promise<void> {
  await context.env.db
    .deleteFrom('did_reservations')
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .execute();
}
