/**
 * What has to be asked of suppliers before a request with an `Idempotency-Key` begins: all of it is one transaction,
 * and none is open while somebody else's server is waited for.
 */
import type { CreateOnce } from '../../../engines/jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { holdAtSupplier } from './hold-at-supplier.ts';

export async function holdBeforeCreate(
  context: PlatformContext,
  key: string,
  { type, input }: Parameters<CreateOnce>[0],
): Promise<void> {
  if (type !== 'did_reservations') return;
  const number = input.relationships.available_did;
  if (typeof number !== 'object' || number === null || !('id' in number) || typeof number.id !== 'string') return;
  const known = await context.env.db
    .selectFrom('idempotency_keys')
    .select('key')
    .where('account_id', '=', callerOf(context).accountId)
    .where('key', '=', key)
    .executeTakeFirst();
  // The same request again gets its first answer.
  if (known === undefined) await holdAtSupplier(context, number.id);
}
