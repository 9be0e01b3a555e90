import { inTransaction } from '../../../db/transaction.ts';
import { ApiError, errors } from '../../../jsonapi/errors.ts';
import { callerOf, type PlatformContext } from '../../context.ts';
import { eraseOnetimeFiles } from '../documents/onetime-files.ts';
import { lockIdentity } from '../identities/hold-identity.ts';
import { addressesInUse } from './in-use.ts';

/** An address behind an approved verification is hidden and stays on record; any other is erased. */
export async function deleteAddress(context: PlatformContext, id: string): Promise<void> {
  const { accountId } = callerOf(context);
  await inTransaction(context.env.db, async (trx) => {
    await lockIdentity(trx, { identityId: null, addressId: id });
    if (await addressesInUse(trx, [id])) throw new ApiError([errors.conflict('Conflict')]);
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
