/** The keys that a client gets with a world: an API key and an OTP application of one account, put back by every reset. */
import { sql } from 'kysely';
import { createAccount } from '../accounts/accounts.ts';
import { createApiKey, hashKey } from '../accounts/api-keys.ts';
import type { Environment } from '../environment.ts';
import { createApplication } from '../verification/application.writes.ts';

export interface Credentials {
  readonly apiKey: string;
  readonly application: { key: string; secret: string };
  readonly apiKeyHash: Buffer;
  /** The two rows as JSON. */
  readonly rows: unknown;
}

/** The account of worlds that are made from nothing. */
export const worldAccount = { name: 'World', balance: '1000.00' };

/** For the copy of the caller's own account where there is one, else for the account that every template has. */
export async function createCredentials(env: Environment, id: string, accountId: string): Promise<Credentials> {
  const account = await env.db
    .selectFrom('accounts')
    .select('id')
    .where((where) => where.or([where('id', '=', accountId), where('name', '=', worldAccount.name)]))
    .orderBy(sql`id = ${accountId}`, 'desc')
    .executeTakeFirst();
  const owner = account?.id ?? (await createAccount(env, worldAccount)).id;
  const name = `world ${id}`;
  const apiKey = await createApiKey(env, owner, { name });
  const application = await createApplication(env, owner, { name });
  const { rows } = await sql<{ rows: unknown }>`
    select jsonb_build_object('api_keys', (select to_jsonb(k) from api_keys k where k.id = ${apiKey.id}),
      'otp_applications', (select to_jsonb(a) from otp_applications a where a.key = ${application.key})) as rows`.execute(
    env.db,
  );
  return {
    apiKey: apiKey.key,
    application: { key: application.key, secret: application.secret.reveal() },
    apiKeyHash: hashKey(apiKey.key),
    rows: rows[0]?.rows,
  };
}

export async function restoreCredentials(env: Environment, credentials: unknown): Promise<void> {
  const given = JSON.stringify(credentials);
  await sql`insert into api_keys select r.* from jsonb_populate_record(null::api_keys, ${given}::jsonb -> 'api_keys') r`.execute(
    env.db,
  );
  await sql`insert into otp_applications select r.*
    from jsonb_populate_record(null::otp_applications, ${given}::jsonb -> 'otp_applications') r`.execute(env.db);
}
