import { inTransaction } from '../../db/transaction.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { refuseUnderReview } from './under-review.ts';

/** The files behind it go with it. */
export async function deleteDocument(context: PlatformContext, id: string): Promise<void> {
  await inTransaction(context.env.db, async (trx) => {
    const document = await trx
      .selectFrom('permanent_supporting_documents')
      .select('identity_id')
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .executeTakeFirst();
    if (!document) return;
    await refuseUnderReview(trx, { identityId: document.identity_id, addressId: null });
    await trx.deleteFrom('permanent_supporting_documents').where('id', '=', id).execute();
  });
}
