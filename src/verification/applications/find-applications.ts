/** Finds OTP applications: for people (the command line and the panel), and for requests. */
import type { Selectable } from 'kysely';
import { runPrepared } from '../../db/prepared.ts';
import { statement } from '../../db/statement.ts';
import type { OtpApplicationsTable } from '../../db/tables/verification.ts';
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
  const served = statement<Selectable<OtpApplicationsTable>>`
    select o.* from otp_applications o join accounts a on a.id = o.account_id
    where o.key = ${key} and o.deleted_at is null and coalesce((a.features->>'verification')::boolean, true)`;
  const [row] = await runPrepared(env.pool, 'verification_application', served);
  return row === undefined ? null : applicationOf(row, env.serverKey);
}
