import { throwAny } from '../../jsonapi/errors.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { columnValues, updateRow } from '../../jsonapi/write.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { wholeIdentity } from './create-identity.ts';
import { checkIdentity } from './identity-rules.ts';

export async function updateIdentity(context: PlatformContext, id: string, input: WriteInput): Promise<void> {
  const stored = await context.env.db
    .selectFrom('identities')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .executeTakeFirstOrThrow();
  const sent = columnValues(input);
  throwAny(checkIdentity(await wholeIdentity(context, { ...stored, ...sent })));
  await updateRow(context, { table: 'identities' }, id, sent);
}
