/**
 * Tells a customer, once per crossing, that the balance has fallen below the account's threshold: by callback and
 * e-mail.
 */
import type { Kysely } from 'kysely';
import { OperatorError } from '../../base/operator-error.ts';
import type { Schema } from '../../engines/db/schema.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { handle, type TaskContext } from '../../engines/jobs/handler.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { noAccount } from '../accounts/accounts.ts';
import { readCallbackUrl } from '../callbacks/callback-request.ts';
import { scheduleCallback } from '../callbacks/schedule-callback.ts';
import { scheduleMail } from '../mail/outbox.ts';
import { formatCents, parseAmount, toSql } from '../money/decimal.ts';

/** Added by the trigger that notices the crossing (`balance_alert_crossed`). */
const lowBalanceTask = defineTask<{ account_id: string; balance: string }>('money.low_balance', {
  priority: 'callbacks',
});

export interface BalanceAlert {
  /** Null: nothing is told. */
  threshold?: string | null;
  callbackUrl?: string | null;
}

/** Changes what is given. A balance that is below a new threshold already is no crossing. */
export async function setBalanceAlert(trx: Kysely<Schema>, accountId: string, change: BalanceAlert): Promise<void> {
  if (change.threshold === undefined && change.callbackUrl === undefined) return;
  // The account's row first, as the trigger does it.
  const account = await trx
    .selectFrom('accounts')
    .select(['balance', 'sealed_callback_secret'])
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
  if (account === undefined) throw noAccount(accountId);
  const known = await trx
    .selectFrom('balance_alerts')
    .select(['threshold', 'callback_url'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const { threshold = known?.threshold ?? null, callbackUrl = known?.callback_url ?? null } = change;
  if (threshold === null) {
    if (change.callbackUrl != null) throw new OperatorError('A callback of a low balance needs a threshold.');
    await trx.deleteFrom('balance_alerts').where('account_id', '=', accountId).execute();
    return;
  }
  if (change.callbackUrl != null) {
    if (readCallbackUrl(change.callbackUrl) === null)
      throw new OperatorError('The callback needs an http or https URL.');
    if (account.sealed_callback_secret === null) {
      throw new OperatorError('The callback needs a callback secret, which signs it; set one first.');
    }
  }
  const row = {
    threshold: toSql(parseAmount(threshold)),
    callback_url: callbackUrl,
    is_below: parseAmount(account.balance) < parseAmount(threshold),
  };
  await trx
    .insertInto('balance_alerts')
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute();
}

export const tellLowBalance = handle(
  lowBalanceTask,
  async ({ account_id: id, balance }, { env }: TaskContext<Environment>) => {
    await inTransaction(env.db, async (trx) => {
      const alert = await trx
        .selectFrom('balance_alerts as b')
        .innerJoin('accounts as a', 'a.id', 'b.account_id')
        .select(['b.threshold', 'b.callback_url', 'a.name'])
        .where('b.account_id', '=', id)
        .executeTakeFirst();
      if (alert === undefined) return;
      const shown = {
        balance: formatCents(parseAmount(balance)),
        threshold: formatCents(parseAmount(alert.threshold)),
      };
      if (alert.callback_url !== null) {
        await scheduleCallback(trx, env, {
          ...{ accountId: id, kind: 'balances', resourceId: id, url: alert.callback_url, method: 'post' },
          payload: { id, type: 'balances', status: 'low', ...shown },
          sealedSigningKey: null,
        });
      }
      for (const to of await recipients(trx, id)) {
        await scheduleMail(trx, env, {
          ...{ kind: 'low_balance', accountId: id, to },
          subject: `Low balance: ${shown.balance} ${env.currency}`,
          text: lowBalanceText(env, alert.name, shown),
        });
      }
    });
  },
);

/** The account's own address, and those of its team who look after money. */
async function recipients(trx: Kysely<Schema>, accountId: string): Promise<string[]> {
  const account = await trx.selectFrom('accounts').select('email').where('id', '=', accountId).executeTakeFirst();
  const members = await trx
    .selectFrom('account_members')
    .select('email')
    .where('account_id', '=', accountId)
    .where('role', 'in', ['owner', 'billing'])
    .execute();
  return [...new Set([account?.email, ...members.map(({ email }) => email)])].filter((email) => email != null);
}

const lowBalanceText = (env: Environment, name: string, shown: { balance: string; threshold: string }): string =>
  `The balance of ${name}${env.name === 'sandbox' ? ' in the sandbox' : ''} is ${shown.balance} ${env.currency}, below the threshold of ${shown.threshold} ${env.currency}.

Numbers, channels and services are not renewed without money, and calls and codes are refused.
${env.publicUrl === null ? '' : `\n${env.publicUrl}/\n`}`;
