/** Finds OTP applications: for people (the command line and the panel), and for requests. */
import { sql } from 'kysely';
import { runPrepared } from '../../db/prepared.ts';
import type { Environment } from '../../environment.ts';
import { applicationOf, type OtpApplication } from './application.ts';

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

/** The application that requests with this key are made for; none while its account is without the verification service. */
export async function findServedApplication(env: Environment, key: string): Promise<OtpApplication | null> {
  const statement = env.db
    .selectFrom('otp_applications')
    .innerJoin('accounts', 'accounts.id', 'otp_applications.account_id')
    .selectAll('otp_applications')
    .where('key', '=', key)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`coalesce((accounts.features->>'verification')::boolean, true)`)
    .compile();
  const [row] = await runPrepared(env.pool, 'verification_application', statement);
  return row === undefined ? null : applicationOf(row, env.serverKey);
}
