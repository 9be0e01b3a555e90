import { inTransaction } from '../../db/transaction.ts';
import type { Linkage, ToManyInput } from '../../jsonapi/linkage.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { assignMembers } from './assign-members.ts';

export interface GroupAttributes {
  name?: string;
  shared_channels_count?: number;
  metered_channels_count?: number;
  external_reference_id?: string | null;
}

export interface GroupLinks {
  capacity_pool?: Linkage;
  dids?: ToManyInput;
}

/** Takes channels of a pool for a group of numbers. */
export async function createSharedGroup(
  context: PlatformContext,
  { attributes, relationships }: WriteInput<GroupAttributes, GroupLinks>,
): Promise<string> {
  const { accountId } = callerOf(context);
  const poolId = relationships.capacity_pool?.id ?? '';
  return await inTransaction(context.env.db, async (trx) => {
    const { id } = await trx
      .insertInto('shared_capacity_groups')
      .values({
        account_id: accountId,
        capacity_pool_id: poolId,
        name: attributes.name ?? '',
        shared_channels_count: attributes.shared_channels_count ?? 0,
        metered_channels_count: attributes.metered_channels_count ?? 0,
        external_reference_id: attributes.external_reference_id ?? null,
        created_at: context.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await assignMembers(trx, { groupId: id, accountId, poolId, members: relationships.dids ?? [] });
    return id;
  });
}
