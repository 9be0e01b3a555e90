/** Creates the OTP applications of a bootstrap file. */
import type { Environment } from '../environment.ts';
import { OperatorError } from '../operator-error.ts';
import { createApplication } from '../verification/application.writes.ts';
import type { BootstrapOtpApplication } from './document.ts';

/** An application whose key exists, even if it was deleted, is not changed. `path` is its place in the file. */
export async function ensureOtpApplication(
  env: Environment,
  accountId: string,
  wanted: BootstrapOtpApplication,
  path: string,
): Promise<void> {
  const found = await env.db
    .selectFrom('otp_applications')
    .select('account_id')
    .where('key', '=', wanted.key)
    .executeTakeFirst();
  if (found !== undefined) {
    if (found.account_id === accountId) return;
    throw new OperatorError(`The bootstrap file's ${path}.key belongs to another account already.`);
  }
  try {
    await createApplication(env, accountId, {
      name: wanted.name,
      key: wanted.key,
      secret: wanted.secret,
      minimumMode: wanted.minimum_mode,
      callbackUrl: wanted.callback_url,
      codeTimeout: wanted.code_timeout,
      codeLength: wanted.code_length,
    });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(`The bootstrap file's ${path} cannot be made: ${error.message}`);
  }
}
