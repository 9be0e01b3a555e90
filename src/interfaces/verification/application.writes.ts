/** Creates, changes and deletes OTP applications, and checks their settings. */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { OperatorError } from '../../base/operator-error.ts';
import { isUuid } from '../../base/uuid.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import { requireActive } from '../../business/accounts/accounts.ts';
import type { OtpApplicationsTable } from '../../engines/db/tables/verification.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { applicationOf, newSecret, type OtpApplication, sealSecret } from './application.ts';
import type { Mode } from './authorization.ts';
import { uuidv7Floor } from './uuidv7.ts';
import { stillPending } from './verification.ts';

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
  if (!isUuid(key)) throw new OperatorError('The key must be a UUID.');
  const secret = checkedSecret(input.secret ?? newSecret());
  await requireActive(env, accountId);
  const sealed_secret = sealSecret(env.serverKey, secret);
  return insertApplication(env, accountId, { ...columns, name, key, sealed_secret, created_at: env.clock.now() });
}

export function checkedSecret(secret: string): string {
  if (Buffer.from(secret, 'base64url').toString('base64url') === secret && secret.length === 43) return secret;
  throw new OperatorError('The secret must be 32 bytes in unpadded base64url.');
}

export async function insertApplication(
  { db, serverKey }: Pick<Environment, 'db' | 'serverKey'>,
  accountId: string,
  columns: Omit<Insertable<OtpApplicationsTable>, 'account_id'>,
): Promise<OtpApplication> {
  const row = await withConstraintErrors(takenErrors(columns.name), () =>
    db
      .insertInto('otp_applications')
      .values({ ...columns, account_id: accountId })
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  return applicationOf(row, serverKey);
}

/** Names are unique among the account's applications that are not deleted, keys among all applications. */
const takenErrors = (name: string) => ({
  otp_applications_name: () => new OperatorError(`The account already has an application named "${name}".`),
  otp_applications_key_key: () => new OperatorError('There is already an application with this key.'),
});

/** Verifications that exist keep the settings they were started with. */
export async function editApplication(
  env: Environment,
  id: string,
  settings: ApplicationSettings,
): Promise<OtpApplication> {
  const columns = applicationColumns(settings);
  if (Object.keys(columns).length === 0) throw new OperatorError('Nothing was given to change.');
  return withConstraintErrors(takenErrors(settings.name ?? ''), () => update(env, id, columns));
}

/** The old secret stops working when this resolves. */
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

/** No verification lives longer than this before it is final (the longest code timeout, and the callback's wait). */
const maxLifetimeMs = (600 + 60) * 1000;

/**
 * The application no longer authenticates, and its pending verifications fail.
 * A start that is being made in this very moment may still commit after this; its dispatch finds the application gone
 * and ends the record the same way.
 */
export async function deleteApplication(env: Environment, id: string): Promise<void> {
  const now = env.clock.now();
  await inTransaction(env.db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('otp_applications')
      .set({ deleted_at: now })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new OperatorError('There is no such application.');
    await trx
      .updateTable('verifications')
      .set({ status: 'failed', error_code: 'application_deleted', final_at: now })
      .where('application_id', '=', id)
      .where('id', '>=', uuidv7Floor(new Date(now.getTime() - maxLifetimeMs)))
      .where(stillPending(now))
      .execute();
  });
}

/** The settings of an application; those left out stay as they are. */
export interface ApplicationSettings {
  name?: string;
  description?: string | null;
  minimumMode?: Mode;
  callbackUrl?: string | null;
  codeTimeout?: number;
  codeLength?: number;
  senders?: Readonly<Record<string, string>>;
  dailyLimit?: number | null;
}

/** The columns of what is given; throws on a value that is not allowed. */
export function applicationColumns(settings: ApplicationSettings) {
  return {
    ...(settings.name !== undefined && { name: checkName(settings.name) }),
    ...(settings.description !== undefined && { description: settings.description?.trim() || null }),
    ...(settings.minimumMode !== undefined && { minimum_mode: checkMode(settings.minimumMode) }),
    ...(settings.callbackUrl !== undefined && { callback_url: checkCallbackUrl(settings.callbackUrl) }),
    ...(settings.codeTimeout !== undefined && { code_timeout: between(settings.codeTimeout, 60, 600, 'code timeout') }),
    ...(settings.codeLength !== undefined && { code_length: between(settings.codeLength, 4, 8, 'code length') }),
    ...(settings.senders !== undefined && { senders: JSON.stringify(checkSenders(settings.senders)) }),
    ...(settings.dailyLimit !== undefined && { daily_limit: checkDailyLimit(settings.dailyLimit) }),
  };
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > 255)
    throw new OperatorError('An application needs a name of 1 to 255 characters.');
  return trimmed;
}

function checkMode(mode: string): Mode {
  if (mode === 'public' || mode === 'basic' || mode === 'application') return mode;
  throw new OperatorError(`The minimum mode is public, basic or application, not "${mode}".`);
}

/** Checked but never rewritten: clients verify the signature over the path as it was registered. */
function checkCallbackUrl(url: string | null): string | null {
  if (url === null || url === '') return null;
  const parsed = /\s/.test(url) ? null : URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\//i.test(url)) {
    throw new OperatorError('The callback URL must be an http or https address.');
  }
  return url;
}

function between(value: number, least: number, most: number, what: string): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new OperatorError(`The ${what} is an integer from ${least} to ${most}.`);
}

function checkSenders(senders: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [country, sender] of Object.entries(senders)) {
    if (country !== 'default' && !/^[A-Z]{2}$/.test(country)) {
      throw new OperatorError(`Senders are set per ISO country or as "default", not for "${country}".`);
    }
    if (!/^(\+?\d{3,15}|(?=.*[A-Za-z])[\w .&-]{1,11})$/.test(sender)) {
      throw new OperatorError(`"${sender}" is no sender id: 1 to 11 letters and digits, or a number.`);
    }
  }
  return senders;
}

function checkDailyLimit(limit: number | null): number | null {
  return limit === null ? null : between(limit, 1, 1_000_000_000, 'daily limit');
}
