import { inTransaction } from '../../db/transaction.ts';
import { invalid, refuse } from '../../jsonapi/errors.ts';
import { callerOf, type PlatformContext } from '../context.ts';

const IN_USE = 'The capacity group cannot be removed while active numbers are assigned to it';

/** Gives the group's channels back to its pool. Numbers that are cancelled do not hold it. */
export async function deleteSharedGroup(context: PlatformContext, id: string): Promise<void> {
  await inTransaction(context.env.db, async (trx) => {
    // Locked first, so that no number joins between the look and the deletion.
    await trx.selectFrom('shared_capacity_groups').select('id').where('id', '=', id).forUpdate().execute();
    const members = trx.selectFrom('dids').where('shared_capacity_group_id', '=', id);
    const active = await members.select('id').where('terminated', '=', false).limit(1).executeTakeFirst();
    if (active) refuse(invalid.base(IN_USE));
    await trx
      .updateTable('dids')
      .set({ shared_capacity_group_id: null })
      .where('shared_capacity_group_id', '=', id)
      .execute();
    await trx
      .deleteFrom('shared_capacity_groups')
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .execute();
  });
}
