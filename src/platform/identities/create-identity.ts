import type { WriteInput } from '../../jsonapi/resource.ts';
import { columnValues, insertRow } from '../../jsonapi/write.ts';
import { callerOf, type PlatformContext } from '../context.ts';

export async function createIdentity(context: PlatformContext, input: WriteInput): Promise<string> {
  return insertRow(
    context,
    { table: 'identities' },
    { ...columnValues(input), account_id: callerOf(context).accountId, created_at: context.now },
  );
}
