import { membershipChange, type ToManyInput } from '../../jsonapi/linkage.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { changeMembers } from './group-members.ts';

interface GroupAttributes {
  name?: string;
  capacity_limit?: number | null;
  external_reference_id?: string | null;
}

type GroupInput = WriteInput<GroupAttributes, { voice_in_trunks?: ToManyInput }>;

export async function createGroup(context: PlatformContext, input: GroupInput): Promise<string> {
  const { accountId } = callerOf(context);
  return context.env.db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('voice_in_trunk_groups')
      .values({ name: '', ...input.attributes, account_id: accountId, created_at: context.now })
      .returning('id')
      .executeTakeFirstOrThrow();
    const members = input.relationships.voice_in_trunks;
    if (members) await changeMembers(trx, accountId, id, membershipChange(members));
    return id;
  });
}

export async function updateGroup(context: PlatformContext, id: string, input: GroupInput): Promise<void> {
  const { accountId } = callerOf(context);
  await context.env.db.transaction().execute(async (trx) => {
    await trx.selectFrom('voice_in_trunk_groups').select('id').where('id', '=', id).forUpdate().execute();
    if (Object.keys(input.attributes).length > 0) {
      await trx.updateTable('voice_in_trunk_groups').set(input.attributes).where('id', '=', id).execute();
    }
    const members = input.relationships.voice_in_trunks;
    if (members) await changeMembers(trx, accountId, id, membershipChange(members));
  });
}

/** Its trunks go with it; refused while the group or one of them has numbers routed to it. */
export async function deleteGroup(context: PlatformContext, id: string): Promise<void> {
  await context.env.db.transaction().execute(async (trx) => {
    await trx.selectFrom('voice_in_trunk_groups').select('id').where('id', '=', id).forUpdate().execute();
    await trx.deleteFrom('voice_in_trunks').where('voice_in_trunk_group_id', '=', id).execute();
    await trx.deleteFrom('voice_in_trunk_groups').where('id', '=', id).execute();
  });
}
