import type { WriteInput } from '../../jsonapi/resource.ts';
import { columnValues, updateRow } from '../../jsonapi/write.ts';
import type { PlatformContext } from '../context.ts';

export async function updateIdentity(context: PlatformContext, id: string, input: WriteInput): Promise<void> {
  await updateRow(context, { table: 'identities' }, id, columnValues(input));
}
