/** API keys: shown once, stored as a hash, with a visible prefix to recognise them. */
import { hash, randomInt } from 'node:crypto';
import { type InsertObject, sql } from 'kysely';
import { OperatorError } from '../../base/operator-error.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import { noAccount, requireActive } from './accounts.ts';
import { checkAllowedIps } from './allowed-ips.ts';
import { keyScopes } from './key-scopes.ts';

export interface NewApiKey {
  name: string;
  /** At least 16 characters; generated if missing. */
  key?: string;
  /** IPv4 or IPv6 addresses and networks; every address is allowed if missing. */
  allowedIps?: readonly string[];
  /** Requests per second; the environment's default if missing. */
  rateLimit?: number | null;
  /** What it may do, of `keyScopes`; everything if missing or null. */
  scopes?: readonly string[] | null;
}

export interface ApiKey {
  id: string;
  accountId: string;
  accountName: string;
  name: string;
  prefix: string;
  allowedIps: string[];
  rateLimit: number | null;
  createdAt: Date;
  revokedAt: Date | null;
}

/** Returns the plain key, which is stored nowhere. */
export async function createApiKey(
  env: Environment,
  accountId: string,
  input: NewApiKey,
): Promise<{ id: string; key: string }> {
  const { rateLimit = null, scopes = null } = input;
  const unknown = scopes?.find((scope) => !keyScopes.includes(scope));
  if (unknown !== undefined) throw new OperatorError(`"${unknown}" is not a scope of a key.`);
  if (scopes?.length === 0) throw new OperatorError('A key needs at least one scope.');
  if (rateLimit !== null && !(Number.isInteger(rateLimit) && rateLimit > 0 && rateLimit <= 1_000_000)) {
    throw new OperatorError('A rate limit is a whole number of requests a second, at least 1.');
  }
  await requireActive(env, accountId);
  const { key, columns } = newKey(env, 'tl', input);
  const values = { ...columns, rate_limit: rateLimit, scopes: scopes && [...scopes] };
  return { id: await insertApiKey(env, accountId, values), key };
}

export async function insertApiKey(
  { db }: Pick<Environment, 'db'>,
  accountId: string,
  columns: Omit<InsertObject<Schema, 'api_keys'>, 'account_id'>,
): Promise<string> {
  const refused = {
    api_keys_key_hash_key: () => new OperatorError('This API key exists already.'),
    api_keys_account_id_fkey: () => noAccount(accountId),
  };
  const { id } = await withConstraintErrors(refused, () =>
    db
      .insertInto('api_keys')
      .values({ ...columns, account_id: accountId })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return id;
}

/** A key and the columns that store it, for keys of accounts and of operators. `word` begins a generated key. */
export function newKey(env: Environment, word: string, input: Pick<NewApiKey, 'name' | 'key' | 'allowedIps'>) {
  const name = input.name.trim();
  if (name === '') throw new OperatorError('An API key needs a name.');
  const key = input.key ?? generateKey(word, env.name);
  if (!/^[\x21-\x7e][\x20-\x7e]{14,254}[\x21-\x7e]$/.test(key)) {
    throw new OperatorError('An API key has 16 to 256 characters that an HTTP header can carry.');
  }
  const allowedIps = checkAllowedIps(input.allowedIps ?? []);
  const columns = {
    name,
    ...storedKey(key),
    // cidr rejects an address with bits beyond its mask; network() removes them.
    allowed_ips: sql<string[]>`array(select network(each::inet) from unnest(${allowedIps}::text[]) as each)`,
    created_at: env.clock.now(),
  };
  return { key, columns };
}

interface Replacement {
  accountId: string;
  id: string;
  /** How long the replaced key still works. */
  overlapSeconds: number;
}

/** Lets a key that was replaced end. Returns false if the account has no such key, or it was revoked. */
export async function endReplacedKey(
  env: Environment,
  { accountId, id, overlapSeconds }: Replacement,
): Promise<boolean> {
  const endsAt = new Date(env.clock.now().getTime() + overlapSeconds * 1000);
  const { numUpdatedRows } = await env.db
    .updateTable('api_keys')
    .set({ expires_at: endsAt })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Keys of one account or of all, including revoked keys. */
export async function listApiKeys(env: Environment, accountId?: string): Promise<ApiKey[]> {
  return env.db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .select([
      'api_keys.id',
      'account_id as accountId',
      'accounts.name as accountName',
      'api_keys.name',
      'prefix',
      'allowed_ips as allowedIps',
      'rate_limit as rateLimit',
      'api_keys.created_at as createdAt',
      'revoked_at as revokedAt',
    ])
    .orderBy('accounts.name')
    .orderBy('api_keys.created_at')
    .execute();
}

/**
 * Takes effect at once in every process. Returns the account, or null if there is no such key or it is already revoked.
 */
export async function revokeApiKey(env: Environment, id: string): Promise<string | null> {
  const revoked = await env.db
    .updateTable('api_keys')
    .set({ revoked_at: env.clock.now() })
    .where(sql<string>`id::text`, '=', id.toLowerCase())
    .where('revoked_at', 'is', null)
    .returning('account_id')
    .executeTakeFirst();
  return revoked?.account_id ?? null;
}

/**
 * Keys are long and random (or set by an operator for tests), so a plain hash is enough; it must be fast because every
 * request needs it.
 */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** What is stored of a key. */
export const storedKey = (key: string) => ({ key_hash: hashKey(key), prefix: visiblePrefix(key) });

/** The same hash as text, to look a key up in memory. */
export function keyDigest(key: string): string {
  return hash('sha256', key, 'base64');
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `place` is where the key is valid: the name of an environment, or `world`. */
export function generateKey(word: string, place: string): string {
  const random = Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${word}_${place}_${random}`;
}

/** Long enough to recognise a key, far too short to guess it. */
function visiblePrefix(key: string): string {
  return /^tlo?_[a-z]+_.{4}/.exec(key)?.[0] ?? key.slice(0, 4);
}
