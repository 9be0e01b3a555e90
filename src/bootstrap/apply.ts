/** Creates what a bootstrap file names: catalogue, carriers, accounts with keys and OTP applications, operators. What exists stays. */
import { sql } from 'kysely';
import { createAccount } from '../accounts/accounts.ts';
import { createApiKey, hashKey } from '../accounts/api-keys.ts';
import { loadDemoCatalogue } from '../catalogue/load-demo.ts';
import { locks } from '../db/locks.ts';
import { withoutTimeouts } from '../db/timeouts.ts';
import type { Environment } from '../environment.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator, createOperatorKey } from '../operator/operators.writes.ts';
import { OperatorError } from '../operator-error.ts';
import { createApplication } from '../verification/application.writes.ts';
import { createCarrier } from '../voice/carriers/carriers.ts';
import type {
  BootstrapAccount,
  BootstrapCarrier,
  BootstrapOperator,
  BootstrapOtpApplication,
  BootstrapSection,
} from './parse.ts';

/** Processes that start at the same time run this one after another. */
export async function applyBootstrap(env: Environment, section: BootstrapSection): Promise<void> {
  const guard = await env.pool.connect();
  try {
    await withoutTimeouts(guard, () => guard.query('select pg_advisory_lock($1)', [locks.bootstrap]));
    try {
      if (section.catalogue === 'demo') await loadDemoCatalogue(env);
      for (const carrier of section.carriers) await ensureCarrier(env, carrier);
      for (const [index, account] of section.accounts.entries()) {
        await ensureAccount(env, account, `${env.name}.accounts[${index}]`);
      }
      for (const [index, operator] of section.operators.entries()) {
        await ensureOperator(env, operator, `${env.name}.operators[${index}]`);
      }
    } finally {
      await guard.query('select pg_advisory_unlock($1)', [locks.bootstrap]);
    }
  } finally {
    guard.release();
  }
}

/** A carrier is known by its name; what an operator has changed of it stays. */
async function ensureCarrier(env: Environment, wanted: BootstrapCarrier): Promise<void> {
  const found = await env.db.selectFrom('carriers').select('id').where('name', '=', wanted.name).executeTakeFirst();
  if (found === undefined) await createCarrier(env, wanted);
}

async function ensureAccount(env: Environment, wanted: BootstrapAccount, path: string): Promise<void> {
  const found = await env.db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', wanted.name.trim())
    .executeTakeFirst();
  const { id } =
    found ??
    (await createAccount(env, {
      name: wanted.name,
      email: wanted.email,
      password: wanted.password,
      balance: wanted.balance,
      credit: wanted.credit,
      ...(wanted.api_version === null ? {} : { apiVersion: wanted.api_version }),
      callbackSecret: wanted.callback_secret,
      callEvents: wanted.call_events,
    }).catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error;
      throw new OperatorError(`The bootstrap file's ${path} cannot be made: ${error.message}`);
    }));
  for (const [index, apiKey] of wanted.api_keys.entries()) {
    await ensureApiKey(env, id, apiKey, `${path}.api_keys[${index}]`);
  }
  for (const [index, application] of wanted.otp_applications.entries()) {
    await ensureOtpApplication(env, id, application, `${path}.otp_applications[${index}]`);
  }
}

async function ensureOperator(env: Environment, wanted: BootstrapOperator, path: string): Promise<void> {
  const found = await env.db
    .selectFrom('operators')
    .select('id')
    .where(sql<string>`lower(email)`, '=', wanted.email.toLowerCase())
    .executeTakeFirst();
  const id = found?.id ?? (await createOperator(byBootstrap(env), wanted));
  for (const [index, { name, key }] of wanted.api_keys.entries()) {
    const known = await env.db
      .selectFrom('operator_keys')
      .select('operator_id')
      .where('key_hash', '=', hashKey(key))
      .executeTakeFirst();
    if (known === undefined) await createOperatorKey(byBootstrap(env), id, { name, key });
    else if (known.operator_id !== id) {
      throw new OperatorError(
        `The bootstrap file's ${path}.api_keys[${index}].key belongs to another operator already.`,
      );
    }
  }
}

async function ensureApiKey(
  env: Environment,
  accountId: string,
  wanted: { name: string; key: string },
  path: string,
): Promise<void> {
  const found = await env.db
    .selectFrom('api_keys')
    .select('account_id')
    .where('key_hash', '=', hashKey(wanted.key))
    .executeTakeFirst();
  if (found === undefined) await createApiKey(env, accountId, wanted);
  else if (found.account_id !== accountId) {
    throw new OperatorError(`The bootstrap file's ${path}.key belongs to another account already.`);
  }
}

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
