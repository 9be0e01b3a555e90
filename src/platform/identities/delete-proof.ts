import { inTransaction } from '../../db/transaction.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { refuseUnderReview } from './under-review.ts';

/** The files behind it go with it. */
export async function deleteProof(context: PlatformContext, id: string): Promise<void> {
  await inTransaction(context.env.db, async (trx) => {
    const proof = await trx
      .selectFrom('proofs')
      .select(['identity_id', 'address_id'])
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .executeTakeFirst();
    if (!proof) return;
    await refuseUnderReview(trx, { identityId: proof.identity_id, addressId: proof.address_id });
    await trx.deleteFrom('proofs').where('id', '=', id).execute();
  });
}
