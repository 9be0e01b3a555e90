/** An OTP application: the client of the verification service that a request is made for, and how it is found. */
import { type KeyObject, randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { ServerKey } from '../../base/server-key.ts';
import { Secret, seal, unseal } from '../../business/accounts/secret.ts';
import { keepUntilChanged } from '../../engines/db/kept.ts';
import { runPrepared, statement } from '../../engines/db/statement.ts';
import type { OtpApplicationsTable } from '../../engines/db/tables/verification.ts';
import type { Environment } from '../../engines/environment.ts';
import { type Mode, signingKey } from './authorization.ts';

export interface OtpApplication {
  readonly id: string;
  readonly accountId: string;
  readonly key: string;
  readonly secret: Secret;
  /** The secret as the key of signatures. */
  readonly signingKey: KeyObject;
  readonly name: string;
  readonly description: string | null;
  readonly minimumMode: Mode;
  readonly callbackUrl: string | null;
  readonly codeTimeout: number;
  readonly codeLength: number;
  /** Sender ids by ISO country, and under `default`. */
  readonly senders: Readonly<Record<string, string>>;
  readonly dailyLimit: number | null;
  readonly createdAt: Date;
}

export const applicationSecretPurpose = 'otp application secret';

/** 32 random bytes in the form clients decode: unpadded base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function sealSecret(serverKey: ServerKey, secret: string): string {
  return seal(serverKey, applicationSecretPurpose, secret);
}

export function applicationOf(row: Selectable<OtpApplicationsTable>, serverKey: ServerKey): OtpApplication {
  const secret = unseal(serverKey, applicationSecretPurpose, row.sealed_secret);
  return {
    id: row.id,
    accountId: row.account_id,
    key: row.key,
    secret: new Secret(secret),
    signingKey: signingKey(secret),
    name: row.name,
    description: row.description,
    minimumMode: row.minimum_mode,
    callbackUrl: row.callback_url,
    codeTimeout: row.code_timeout,
    codeLength: row.code_length,
    senders: row.senders,
    dailyLimit: row.daily_limit,
    createdAt: row.created_at,
  };
}

export async function listApplications(env: Environment, accountId: string | null = null): Promise<OtpApplication[]> {
  const rows = await env.db
    .selectFrom('otp_applications')
    .selectAll()
    .where('deleted_at', 'is', null)
    .$if(accountId !== null, (query) => query.where('account_id', '=', accountId ?? ''))
    .orderBy('created_at')
    .orderBy('name')
    .execute();
  return rows.map((row) => applicationOf(row, env.serverKey));
}

/** By its public key; null when there is none or it was deleted. */
export async function findApplicationByKey(env: Environment, key: string): Promise<OtpApplication | null> {
  const row = await env.db
    .selectFrom('otp_applications')
    .selectAll()
    .where('key', '=', key)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : applicationOf(row, env.serverKey);
}

/**
 * The application that requests with this key are made for; none while its account is suspended or without the
 * verification service.
 */
async function findServedApplication(env: Environment, key: string): Promise<OtpApplication | null> {
  const served = statement<Selectable<OtpApplicationsTable>>`
    select o.* from otp_applications o join accounts a on a.id = o.account_id
    where o.key = ${key} and o.deleted_at is null and a.suspended_at is null
      and coalesce((a.features->>'verification')::boolean, true)`;
  const [row] = await runPrepared(env.pool, 'verification_application', served);
  return row === undefined ? null : applicationOf(row, env.serverKey);
}

/**
 * Applications by key, for requests. They are kept in memory until any process changes one; while notifications cannot
 * be received, nothing is kept and every request reads the database.
 */
export interface ApplicationDirectory {
  /** From memory; null says nothing about whether it exists. */
  kept(key: string): OtpApplication | null;
  /** From the database. */
  read(key: string): Promise<OtpApplication | null>;
}

export function createApplicationDirectory(env: Environment): ApplicationDirectory {
  const kept = keepUntilChanged<OtpApplication | null>(env.changes, {
    outdatedBy: {
      otp_application: (key, _application, keptKey) => key === keptKey,
      account: (accountId, application) => application?.accountId === accountId,
    },
    worthKeeping: (application) => application !== null,
  });
  return {
    kept: (key) => kept.peek(key) ?? null,
    async read(key) {
      // PostgreSQL's text cannot hold such a key, so no application has it.
      if (key.length > 200 || key.includes('\0')) return null;
      return kept.refresh(key, () => findServedApplication(env, key));
    },
  };
}
