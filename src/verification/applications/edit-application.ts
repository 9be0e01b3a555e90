/** Changes settings of an OTP application. Verifications that exist keep what they were started with. */
import type { Environment } from '../../environment.ts';
import { OperatorError } from '../../operator-error.ts';
import { applicationOf, newSecret, type OtpApplication, sealSecret } from './application.ts';
import { takenText } from './create-application.ts';
import { type ApplicationSettings, applicationColumns } from './settings.ts';

export async function editApplication(
  env: Environment,
  id: string,
  settings: ApplicationSettings,
): Promise<OtpApplication> {
  const columns = applicationColumns(settings);
  if (Object.keys(columns).length === 0) throw new OperatorError('Nothing was given to change.');
  try {
    return await update(env, id, columns);
  } catch (error) {
    throw takenText(error, settings.name ?? '') ?? error;
  }
}

/** The old secret stops working with the answer to this. */
export function regenerateSecret(env: Environment, id: string): Promise<OtpApplication> {
  return update(env, id, { sealed_secret: sealSecret(env.serverKey, newSecret()) });
}

async function update(
  env: Environment,
  id: string,
  columns: ReturnType<typeof applicationColumns> & { sealed_secret?: string },
): Promise<OtpApplication> {
  const row = await env.db
    .updateTable('otp_applications')
    .set(columns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new OperatorError('There is no such application.');
  return applicationOf(row, env.serverKey);
}
