/** The account that a request belongs to by its key, without a check of anything else: for what tests see and cause. */
import type { FastifyRequest } from 'fastify';
import { isUuid } from '../../../base/uuid.ts';
import { hashKey } from '../../../business/accounts/api-keys.ts';
import type { Environment } from '../../../engines/environment.ts';
import { parseAuthorization } from '../../verification/authorization.ts';

interface RequestAccount {
  readonly accountId: string | null;
  readonly apiKey: string | null;
}

export async function accountOf(
  env: Environment,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Promise<RequestAccount> {
  const apiKey = headers['api-key'];
  if (typeof apiKey === 'string') {
    const row = await env.db
      .selectFrom('api_keys')
      .select('account_id')
      .where('key_hash', '=', hashKey(apiKey))
      .executeTakeFirst();
    return { accountId: row?.account_id ?? null, apiKey };
  }
  const claim = parseAuthorization(headers.authorization);
  if (claim === null || !isUuid(claim.key)) return { accountId: null, apiKey: null };
  const row = await env.db
    .selectFrom('otp_applications')
    .select('account_id')
    .where('key', '=', claim.key)
    .executeTakeFirst();
  return { accountId: row?.account_id ?? null, apiKey: null };
}
