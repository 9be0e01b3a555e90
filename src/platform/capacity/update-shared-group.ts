import { inTransaction } from '../../db/transaction.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { assignMembers, requireCoverage } from './assign-members.ts';
import type { GroupAttributes, GroupLinks } from './create-shared-group.ts';

/** Changes a group; sending `dids` replaces its whole membership. */
export async function updateSharedGroup(
  context: PlatformContext,
  id: string,
  { attributes, relationships }: WriteInput<GroupAttributes, GroupLinks>,
): Promise<void> {
  const { accountId } = callerOf(context);
  await inTransaction(context.env.db, async (trx) => {
    const group = await trx
      .selectFrom('shared_capacity_groups')
      .select('capacity_pool_id')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const poolId = relationships.capacity_pool?.id ?? group.capacity_pool_id;
    if (relationships.dids) await assignMembers(trx, { groupId: id, accountId, poolId, members: relationships.dids });
    else if (poolId !== group.capacity_pool_id) await requireCoverage(trx, id, accountId, poolId);
    const change = { ...attributes, ...(relationships.capacity_pool ? { capacity_pool_id: poolId } : {}) };
    if (Object.keys(change).length === 0) return;
    await trx.updateTable('shared_capacity_groups').set(change).where('id', '=', id).execute();
  });
}
