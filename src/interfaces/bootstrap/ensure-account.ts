/**
 * Makes an account with its keys and OTP applications; what exists stays. `path` is its place in the file, for errors.
 */

import { OperatorError } from '../../base/operator-error.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { createApiKey, hashKey } from '../../business/accounts/api-keys.ts';
import type { Environment } from '../../engines/environment.ts';
import { createApplication } from '../verification/application.writes.ts';
import type { BootstrapAccount, BootstrapOtpApplication } from './parse.ts';
import type { AccountSeeds } from './seeds.ts';

/** An account is known by its name. `made` says how many keys and applications are new. */
export async function ensureAccount(
  env: Environment,
  wanted: Omit<BootstrapAccount, keyof AccountSeeds>,
  path: string,
): Promise<{ id: string; isNew: boolean; made: number }> {
  const found = await env.db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', wanted.name.trim())
    .executeTakeFirst();
  const { id } =
    found ??
    (await naming(path, () =>
      createAccount(env, {
        name: wanted.name,
        email: wanted.email,
        password: wanted.password,
        balance: wanted.balance,
        credit: wanted.credit,
        ...(wanted.api_version === null ? {} : { apiVersion: wanted.api_version }),
        callbackSecret: wanted.callback_secret,
        callEvents: wanted.call_events,
      }),
    ));
  let made = 0;
  for (const [index, apiKey] of wanted.api_keys.entries()) {
    if (await ensureApiKey(env, id, apiKey, `${path}.api_keys[${index}]`)) made += 1;
  }
  for (const [index, application] of wanted.otp_applications.entries()) {
    if (await ensureOtpApplication(env, id, application, `${path}.otp_applications[${index}]`)) made += 1;
  }
  return { id, isNew: found === undefined, made };
}

async function ensureApiKey(
  env: Environment,
  accountId: string,
  wanted: { name: string; key: string },
  path: string,
): Promise<boolean> {
  const found = await env.db
    .selectFrom('api_keys')
    .select('account_id')
    .where('key_hash', '=', hashKey(wanted.key))
    .executeTakeFirst();
  if (found !== undefined && found.account_id !== accountId) throw belongsToAnother(`${path}.key`);
  if (found === undefined) await createApiKey(env, accountId, wanted);
  return found === undefined;
}

/** An application whose key exists, even if it was deleted, is not changed. */
async function ensureOtpApplication(
  env: Environment,
  accountId: string,
  wanted: BootstrapOtpApplication,
  path: string,
): Promise<boolean> {
  const found = await env.db
    .selectFrom('otp_applications')
    .select('account_id')
    .where('key', '=', wanted.key)
    .executeTakeFirst();
  if (found?.account_id === accountId) return false;
  if (found !== undefined) throw belongsToAnother(`${path}.key`);
  await naming(path, () =>
    createApplication(env, accountId, {
      name: wanted.name,
      key: wanted.key,
      secret: wanted.secret,
      minimumMode: wanted.minimum_mode,
      callbackUrl: wanted.callback_url,
      codeTimeout: wanted.code_timeout,
      codeLength: wanted.code_length,
    }),
  );
  return true;
}

const belongsToAnother = (path: string) => new OperatorError(`${path} belongs to another account already.`);

async function naming<T>(path: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(`${path} cannot be made: ${error.message}`);
  }
}
