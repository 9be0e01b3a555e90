import { inTransaction } from '../../db/transaction.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { lockPool } from './lock-pool.ts';

/** Gives channels back. More are bought with an order; those given back are not refunded, only not renewed. */
export async function lowerTotal(
  context: PlatformContext,
  id: string,
  { attributes }: WriteInput<{ total_channels_count?: number }>,
): Promise<void> {
  const wanted = attributes.total_channels_count;
  if (wanted === undefined) return;
  await inTransaction(context.env.db, async (trx) => {
    const pool = await lockPool(trx, id, callerOf(context).accountId);
    if (!pool || wanted === pool.total_channels_count) return;
    const refused = (message: string) => refuse(invalid.attribute('total_channels_count', message));
    if (wanted > pool.total_channels_count) refused(messages.atMost(pool.total_channels_count));
    const least = Math.max(pool.assigned_channels_count, pool.minimum_limit);
    if (wanted < least) refused(messages.shouldBeAtLeast(least));
    await trx.updateTable('capacity_pools').set({ total_channels_count: wanted }).where('id', '=', id).execute();
  });
}
