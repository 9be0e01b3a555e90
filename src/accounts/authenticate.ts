/**
 * Finds the caller for an `api-key` header. Results are cached until any process changes the account or one of its
 * keys; nothing is cached while change notifications cannot be received. An unknown key, a revoked key and a key used
 * from a forbidden address get the same response. An address that fails too often is refused for a while, whatever its
 * key.
 */
import type { BlockList } from 'node:net';
import { keepUntilChanged } from '../db/kept.ts';
import type { Environment } from '../environment.ts';
import { allowList, isAllowed } from './allowed-ips.ts';
import { hashKey } from './api-keys.ts';
import type { Caller } from './caller.ts';
import { createFailedAuthentications, shippedFailureLimit, TooManyFailures } from './failed-authentication.ts';
import { readFeatures, readLimits } from './features-and-limits.ts';
import { defaultRateLimit } from './rate-limit.ts';
import { Secret } from './secret.ts';

/** Returns null if the key is not valid from this address. Throws `TooManyFailures`. */
export type Authenticate = (key: string, remoteAddress: string) => Promise<Caller | null>;

interface Known {
  caller: Caller;
  allowed: BlockList | null;
}

export function createAuthenticator(env: Environment): Authenticate {
  const kept = keepUntilChanged<Known | null>(env.changes, {
    outdatedBy: { account: (accountId, known) => known?.caller.accountId === accountId },
    worthKeeping: (known) => known !== null,
  });
  const failures = createFailedAuthentications();
  const failureLimit = shippedFailureLimit[env.name];

  return async (key, remoteAddress) => {
    const wait = failures.wait(remoteAddress, failureLimit);
    if (wait > 0) throw new TooManyFailures(wait);
    const hash = hashKey(key);
    const known = await kept.read(hash.toString('base64'), () => look(env, hash, key));
    if (known !== null && isAllowed(known.allowed, remoteAddress)) return known.caller;
    failures.count(remoteAddress, failureLimit);
    return null;
  };
}

async function look(env: Environment, hash: Buffer, key: string): Promise<Known | null> {
  const row = await env.db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id as keyId', 'account_id', 'allowed_ips', 'rate_limit'])
    .select(['api_version', 'features', 'limits', 'read_only'])
    .where('key_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const limits = readLimits(row.limits);
  return {
    allowed: allowList(row.allowed_ips),
    caller: {
      actor: { kind: 'api_key', id: row.keyId },
      accountId: row.account_id,
      signingKey: new Secret(key),
      apiVersion: row.api_version,
      features: readFeatures(row.features),
      limits,
      readOnly: row.read_only,
      maxPageSize: limits.max_page_size,
      rateLimit: row.rate_limit ?? defaultRateLimit[env.name],
    },
  };
}
