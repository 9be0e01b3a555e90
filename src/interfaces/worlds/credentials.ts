/**
 * The keys that a client gets with a world: an API key and an OTP application. They are made without the world's
 * database, so that a world is there in a moment, and stored with its row; the process that opens the world puts them
 * into its database, and after a reset again.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { ServerKey } from '../../base/server-key.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { generateKey, insertApiKey, storedKey } from '../../business/accounts/api-keys.ts';
import { unseal } from '../../business/accounts/secret.ts';
import { locks } from '../../engines/db/locks.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { WorldsTable } from '../../engines/db/tables/worlds.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { applicationSecretPurpose, newSecret, sealSecret } from '../verification/application.ts';
import { insertApplication } from '../verification/application.writes.ts';

type World = Pick<Selectable<WorldsTable>, 'id' | 'account_id' | 'credentials'>;

export interface Credentials {
  readonly apiKey: string;
  readonly application: { key: string; secret: string };
  readonly apiKeyHash: Buffer;
  /** What the two rows in the world's database have of them. */
  readonly stored: NonNullable<World['credentials']>;
}

/** The account of worlds that are made from nothing. */
export const worldAccount = { name: 'World', balance: '1000.00' };

export function newCredentials(serverKey: ServerKey): Credentials {
  const apiKey = generateKey('tl', worldWord);
  const { key_hash, prefix } = storedKey(apiKey);
  const application = { key: newApplicationKey(), secret: newSecret() };
  return {
    apiKey,
    application,
    apiKeyHash: key_hash,
    stored: {
      api_keys: { key_hash: `\\x${key_hash.toString('hex')}`, prefix },
      otp_applications: { key: application.key, sealed_secret: sealSecret(serverKey, application.secret) },
    },
  };
}

const worldWord = 'world';
/**
 * UUIDs of this version mean what their maker says; the applications of environments have random ones, which are of
 * version 4.
 */
const worldVersion = '8';
const versionAt = 14;

function newApplicationKey(): string {
  const random = randomUUID();
  return random.slice(0, versionAt) + worldVersion + random.slice(versionAt + 1);
}

/** Whether an API key or the key of an application has the form of those above. */
export const mayBeOfWorld = {
  apiKey: (key: string): boolean => key.startsWith(`tl_${worldWord}_`),
  application: (key: string): boolean => key[versionAt] === worldVersion,
};

/** Safe to do again, and in several processes at once. A world that belongs to nobody has no keys. */
export async function addCredentials(env: Environment, world: World): Promise<void> {
  const { credentials, account_id: accountId } = world;
  if (credentials === null || accountId === null) return;
  const { api_keys, otp_applications } = credentials;
  const key_hash = Buffer.from(api_keys.key_hash.slice('\\x'.length), 'hex');
  if (await hasKey(env.db, key_hash)) return;
  await inTransaction(env.db, async (db) => {
    await sql`select pg_advisory_xact_lock(${locks.worlds})`.execute(db);
    if (await hasKey(db, key_hash)) return;
    const inside = { ...env, db };
    const owner = await ownerIn(inside, accountId);
    const both = { name: `world ${world.id}`, created_at: env.clock.now() };
    await insertApiKey(inside, owner, { ...both, key_hash, prefix: api_keys.prefix });
    const { key } = otp_applications;
    // The row may have been read before the server key was replaced, and must not bring the old one back.
    const sealed_secret = sealedAnew(env.serverKey, otp_applications.sealed_secret);
    await insertApplication(inside, owner, { ...both, key, sealed_secret });
  });
}

/** Seals what the rows of all worlds keep with the first of several server keys. Returns how many there are. */
export async function resealCredentials({ db, serverKey }: Pick<Environment, 'db' | 'serverKey'>): Promise<number> {
  const worlds = await db
    .selectFrom('worlds')
    .select(['id', 'credentials'])
    .where('credentials', 'is not', null)
    .execute();
  for (const { id, credentials } of worlds) {
    if (credentials === null) continue;
    const { otp_applications: application } = credentials;
    const sealed_secret = sealedAnew(serverKey, application.sealed_secret);
    const stored = { ...credentials, otp_applications: { ...application, sealed_secret } };
    await db
      .updateTable('worlds')
      .set({ credentials: JSON.stringify(stored) })
      .where('id', '=', id)
      .execute();
  }
  return worlds.length;
}

const sealedAnew = (serverKey: ServerKey, sealed: string): string =>
  sealSecret(serverKey, unseal(serverKey, applicationSecretPurpose, sealed));

async function hasKey(db: Kysely<Schema>, hash: Buffer): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('id').where('key_hash', '=', hash).executeTakeFirst()) !== undefined;
}

/**
 * The copy of the client's own account where there is one, else the account that every template has, else the first of
 * a file.
 */
async function ownerIn(env: Environment, accountId: string): Promise<string> {
  const account = await env.db
    .selectFrom('accounts')
    .select('id')
    .orderBy(sql`id = ${accountId}`, 'desc')
    .orderBy(sql`name = ${worldAccount.name}`, 'desc')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return account?.id ?? (await createAccount(env, worldAccount)).id;
}
