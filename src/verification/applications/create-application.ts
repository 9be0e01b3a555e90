/** Creates an OTP application of an account. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Environment } from '../../environment.ts';
import { OperatorError } from '../../operator-error.ts';
import { applicationOf, newSecret, type OtpApplication, sealSecret } from './application.ts';
import { type ApplicationSettings, applicationColumns } from './settings.ts';

export interface NewApplication extends ApplicationSettings {
  name: string;
  /** Given by a bootstrap file; otherwise made here. */
  key?: string;
  secret?: string;
}

export async function createApplication(
  env: Environment,
  accountId: string,
  input: NewApplication,
): Promise<OtpApplication> {
  const { name = '', ...columns } = applicationColumns(input);
  const key = input.key ?? randomUUID();
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key)) throw new OperatorError('The key must be a UUID.');
  const secret = input.secret ?? newSecret();
  if (Buffer.from(secret, 'base64url').toString('base64url') !== secret || secret.length !== 43) {
    throw new OperatorError('The secret must be 32 bytes in unpadded base64url.');
  }
  try {
    const row = await env.db
      .insertInto('otp_applications')
      .values({
        ...columns,
        account_id: accountId,
        name,
        key,
        sealed_secret: sealSecret(env.serverKey, secret),
        created_at: env.clock.now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return applicationOf(row, env.serverKey);
  } catch (error) {
    throw takenText(error, name) ?? error;
  }
}

/** Names are unique among the account's living applications, keys among all. */
export function takenText(error: unknown, name: string): OperatorError | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23505') return null;
  return error.constraint === 'otp_applications_name'
    ? new OperatorError(`The account already has an application named "${name}".`)
    : new OperatorError('There is already an application with this key.');
}
