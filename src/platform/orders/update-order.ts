import type { WriteInput } from '../../jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';

/** Only the customer's own reference may change. */
export async function updateOrder(
  context: PlatformContext,
  id: string,
  { attributes }: WriteInput<{ external_reference_id?: string | null }>,
): Promise<void> {
  if (attributes.external_reference_id === undefined) return;
  await context.env.db
    .updateTable('orders')
    .set({ external_reference_id: attributes.external_reference_id })
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .execute();
}
