import { inTransaction } from '../../../db/transaction.ts';
import { ApiError, errors } from '../../../jsonapi/errors.ts';
import { callerOf, type PlatformContext } from '../../context.ts';
import { addressesInUse } from '../addresses/in-use.ts';
import { eraseOnetimeFiles } from '../documents/onetime-files.ts';
import { forgetPerson } from './forget-person.ts';
import { lockIdentity } from './hold-identity.ts';

/** Erases a person: the identity, its addresses, hidden ones too, its proofs and documents, and the files behind them. */
export async function deleteIdentity(context: PlatformContext, id: string): Promise<void> {
  const { accountId } = callerOf(context);
  await inTransaction(context.env.db, async (trx) => {
    await lockIdentity(trx, { identityId: id, addressId: null });
    const number = await trx.selectFrom('dids').select('id').where('identity_id', '=', id).executeTakeFirst();
    const addresses = await trx.selectFrom('addresses').select('id').where('identity_id', '=', id).execute();
    const addressIds = addresses.map((address) => address.id);
    const used = await addressesInUse(trx, addressIds);
    if (number || used) throw new ApiError([errors.conflict('Conflict')]);
    await forgetPerson(trx, { accountId, identityId: id, addressIds });
    await eraseOnetimeFiles(trx, addressIds);
    await trx.deleteFrom('identities').where('id', '=', id).where('account_id', '=', accountId).execute();
  });
}
