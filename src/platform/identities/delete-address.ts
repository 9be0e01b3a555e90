import { inTransaction } from '../../db/transaction.ts';
import { errors, throwAny } from '../../jsonapi/errors.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { usesOfAddresses } from './in-use.ts';
import { eraseOnetimeFiles } from './onetime-files.ts';
import { lockIdentity } from './paperwork-in-use.ts';

/** An address behind an approved verification is hidden and stays on record; any other is erased. */
export async function deleteAddress(context: PlatformContext, id: string): Promise<void> {
  const { accountId } = callerOf(context);
  await inTransaction(context.env.db, async (trx) => {
    await lockIdentity(trx, { identityId: null, addressId: id });
    throwAny((await usesOfAddresses(trx, [id])).map(errors.conflict));
    const approved = await trx
      .selectFrom('address_verifications')
      .select('id')
      .where('address_id', '=', id)
      .where('status', '=', 'approved')
      .executeTakeFirst();
    if (approved) {
      await trx.updateTable('addresses').set({ hidden_at: context.now }).where('id', '=', id).execute();
      return;
    }
    await eraseOnetimeFiles(trx, [id]);
    await trx.deleteFrom('addresses').where('id', '=', id).where('account_id', '=', accountId).execute();
  });
}
