/**
 * What an operator does with accounts: open, change, suspend, resume, close. Requests and commands call the same
 * functions.
 */

import { OperatorError } from '../../base/operator-error.ts';
import { type Account, type AccountSettings, asAccount } from '../../business/accounts/account-columns.ts';
import { createAccount, type NewAccount, noAccount, updateAccount } from '../../business/accounts/accounts.ts';
import { createApiKey, type NewApiKey, revokeApiKey } from '../../business/accounts/api-keys.ts';
import { type BalanceAlert, setBalanceAlert } from '../../business/billing/balance-alerts.ts';
import { scheduleSecurityNotice } from '../../business/mail/security-notice.ts';
import { scheduleEndOfCalls } from '../../business/voice/schedule-end.ts';
import type { Environment } from '../../engines/environment.ts';
import { methodOf, recordHistory } from '../platform/dids/did-history.ts';
import { renewHeldNumbers } from '../platform/dids/settle-due-numbers.ts';
import { type Acting, act, type Done } from './act.ts';

export function openAccount(acting: Acting, input: NewAccount): Promise<Account> {
  return act(acting, async (env) => {
    const account = await createAccount(env, input);
    const after = { ...audited(account), balance: account.balance };
    return { ...about(account), action: 'account.created', after };
  });
}

/** Changes only the given settings; of features and limits only the named ones. */
export function changeAccount(acting: Acting, id: string, changes: AccountSettings): Promise<Account> {
  return act(acting, async (env) => {
    const before = await lockAccount(env, id);
    const after = await updateAccount(env, id, changes);
    if (changes.password) {
      const person = { email: after.email, accountId: id };
      const source = acting.source ?? 'elsewhere';
      await scheduleSecurityNotice(env.db, env, person, { change: 'password', source });
    }
    const isReaddressed = before.email !== after.email;
    if (isReaddressed) await leaveAddress(acting, env, before);
    const hidden = [
      ...(before.name === after.name ? [] : ['name']),
      ...(isReaddressed ? ['email'] : []),
      ...(changes.password ? ['password'] : []),
      ...(changes.callbackSecret === undefined ? [] : ['callback_secret']),
    ];
    return {
      ...about(after),
      action: 'account.updated',
      before: audited(before),
      after: { ...audited(after), ...Object.fromEntries(hidden.map((name) => [name, 'changed'])) },
    };
  });
}

/** A link that lies at the former address is worth nothing any more; whoever reads there is told. */
async function leaveAddress(acting: Acting, env: Environment, { id, email }: Account): Promise<void> {
  const login = env.db.selectFrom('panel_logins').select('id').where('account_id', '=', id);
  await env.db.deleteFrom('login_links').where('login_id', 'in', login).execute();
  const source = acting.source ?? 'elsewhere';
  await scheduleSecurityNotice(env.db, env, { email, accountId: id }, { change: 'email', source });
}

/** Sets the balance below which the customer is told. */
export function changeBalanceAlert(acting: Acting, id: string, change: BalanceAlert): Promise<void> {
  return act(acting, async ({ db }) => {
    const find = () =>
      db
        .selectFrom('balance_alerts')
        .select(['threshold as low_balance_threshold', 'callback_url as low_balance_callback_url'])
        .where('account_id', '=', id)
        .executeTakeFirst();
    const before = await find();
    await setBalanceAlert(db, id, change);
    const [none, after] = [{ low_balance_threshold: null, low_balance_callback_url: null }, await find()];
    return {
      ...{ result: undefined, action: 'account.updated', accountId: id, subject: { type: 'accounts', id } },
      ...{ before: before ?? none, after: after ?? none },
    };
  });
}

interface Suspension {
  /** Shown to the customer. */
  reason: string;
  /** Calls that are up end; otherwise only new ones are refused. */
  endCalls?: boolean;
  /** Nothing is renewed until the account is resumed; otherwise renewals go on. */
  holdRenewals?: boolean;
}

/**
 * Takes effect in every process as soon as it hears of the change. A second time it changes the reason and the choices.
 */
export function suspendAccount(acting: Acting, id: string, suspension: Suspension): Promise<Account> {
  const { endCalls = true, holdRenewals = false } = suspension;
  const reason = requireReason(suspension.reason);
  return act({ ...acting, reason }, async (env) => {
    const before = await lockAccount(env, id);
    if (before.closedAt !== null) throw closedAlready(before);
    const after = await store(env, id, {
      suspended_at: before.suspendedAt ?? env.clock.now(),
      suspension_reason: reason,
      renewals_held: holdRenewals,
    });
    if (before.renewalsHeld && !holdRenewals) await renewHeldNumbers(env.db, env, id);
    if (endCalls) await scheduleEndOfCalls(env.db, env, id);
    return { ...about(after), action: 'account.suspended', before: suspensionOf(before), after: suspensionOf(after) };
  });
}

export function resumeAccount(acting: Acting, id: string): Promise<Account> {
  return act(acting, async (env) => {
    const before = await lockAccount(env, id);
    if (before.closedAt !== null) throw closedAlready(before);
    if (before.suspendedAt === null) throw new OperatorError(`${before.name} is not suspended.`);
    const after = await store(env, id, { suspended_at: null, suspension_reason: null, renewals_held: false });
    if (before.renewalsHeld) await renewHeldNumbers(env.db, env, id);
    return { ...about(after), action: 'account.resumed', before: suspensionOf(before), after: suspensionOf(after) };
  });
}

/**
 * For good: keys are revoked, calls end, nothing is renewed, so that numbers return to stock after their paid period.
 * The records stay, since the books need them; a balance that is left is paid back by an adjustment.
 */
export function closeAccount(acting: Acting, id: string, why: string): Promise<Account> {
  const reason = requireReason(why);
  return act({ ...acting, reason }, async (env) => {
    const before = await lockAccount(env, id);
    if (before.closedAt !== null) throw closedAlready(before);
    const now = env.clock.now();
    const after = await store(env, id, {
      suspended_at: before.suspendedAt ?? now,
      suspension_reason: reason,
      renewals_held: false,
      closed_at: now,
    });
    await env.db
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('account_id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    // Terminated numbers expire at the end of their period.
    const ended = await env.db
      .updateTable('dids')
      .set({ terminated: true })
      .where('account_id', '=', id)
      .where('terminated', '=', false)
      .returning('number')
      .execute();
    const method = methodOf(acting.by);
    const entries = ended.map(({ number }) => ({ accountId: id, number, action: 'canceled', method }) as const);
    await recordHistory(env.db, env, entries, now);
    if (before.renewalsHeld) await renewHeldNumbers(env.db, env, id);
    await scheduleEndOfCalls(env.db, env, id);
    return { ...about(after), action: 'account.closed', before: suspensionOf(before), after: suspensionOf(after) };
  });
}

/** Returns the plain key, which is stored nowhere. */
export function createCustomerKey(
  acting: Acting,
  accountId: string,
  input: NewApiKey,
): Promise<{ id: string; key: string }> {
  return act(acting, async (env) => {
    const created = await createApiKey(env, accountId, input);
    const after = { name: input.name, allowed_ips: [...(input.allowedIps ?? [])], rate_limit: input.rateLimit ?? null };
    const subject = { type: 'api_keys', id: created.id };
    return { result: created, action: 'api_key.created', accountId, subject, after };
  });
}

export function revokeCustomerKey(acting: Acting, id: string): Promise<void> {
  return act(acting, async (env) => {
    const accountId = await revokeApiKey(env, id);
    if (accountId === null) {
      throw new OperatorError(`There is no API key with the id ${id} in ${env.name} that could be revoked.`);
    }
    return { result: undefined, action: 'api_key.revoked', accountId, subject: { type: 'api_keys', id } };
  });
}

function requireReason(text: string): string {
  const reason = text.trim();
  if (reason === '') throw new OperatorError('A reason is needed; the customer is shown it.');
  return reason;
}

const closedAlready = ({ name }: Account) => new OperatorError(`${name} is closed.`);

async function lockAccount({ db }: Environment, id: string): Promise<Account> {
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (row === undefined) throw noAccount(id);
  return asAccount(row);
}

interface SuspensionColumns {
  suspended_at: Date | null;
  suspension_reason: string | null;
  renewals_held: boolean;
  closed_at?: Date;
}

async function store({ db }: Environment, id: string, columns: SuspensionColumns): Promise<Account> {
  const row = await db
    .updateTable('accounts')
    .set(columns)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return asAccount(row);
}

const about = (account: Account): Pick<Done<Account>, 'result' | 'accountId' | 'subject'> => ({
  result: account,
  accountId: account.id,
  subject: { type: 'accounts', id: account.id },
});

/** What the audit log shows of an account's settings: neither secrets nor who the customer is. */
const audited = ({ credit, vatRate, apiVersion, readOnly, features, limits, callEvents }: Account) => ({
  credit,
  vat_rate: vatRate,
  api_version: apiVersion,
  read_only: readOnly,
  features,
  limits,
  call_events: callEvents !== null,
});

const suspensionOf = ({ suspendedAt, suspensionReason, renewalsHeld, closedAt }: Account) => ({
  suspended: suspendedAt !== null,
  suspension_reason: suspensionReason,
  renewals_held: renewalsHeld,
  closed: closedAt !== null,
});
