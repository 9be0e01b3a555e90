/** Everything about one customer on one page: one response, and `account show` at the command line. */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../../base/uuid.ts';
import type { Account } from '../../../business/accounts/account-columns.ts';
import { findAccount } from '../../../business/accounts/accounts.ts';
import type { Environment } from '../../../engines/environment.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { newestVersion } from '../../platform/versions/versions.ts';
import { type ContextOf, ownMedia, parametersOf } from '../own-route.ts';
import { accountParts, accountSums } from './account-parts.ts';

interface AccountOverview {
  account: Record<string, unknown>;
  /** Counts, by what is counted. */
  numbers: Record<string, unknown>;
  [part: string]: unknown;
}

/**
 * Every statement goes by an index of the account and is limited, so a large customer takes no longer than a small one.
 * One after another: a look-up must not take all connections.
 */
export async function readAccountOverview(env: Environment, account: Account): Promise<AccountOverview> {
  const time = env.clock.now();
  const run = async (sql: string) =>
    (await env.pool.query(sql, sql.includes('$2') ? [account.id, time] : [account.id])).rows;
  const sums = Object.entries(accountSums).map(([name, sql]) => `(${sql}) as ${name}`);
  const [counts] = await run(`select ${sums.join(', ')}`);
  const parts: Record<string, unknown[]> = {};
  for (const [name, sql] of Object.entries(accountParts)) parts[name] = await run(sql);
  return { account: shownAccount(account), numbers: { ...counts }, ...parts };
}

/** The account as /operator/v1/accounts shows it. */
function shownAccount(account: Account): Record<string, unknown> {
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    balance: account.balance,
    credit: account.credit,
    vat_rate: account.vatRate,
    api_version: account.apiVersion ?? newestVersion,
    read_only: account.readOnly,
    limits: account.limits,
    features: account.features,
    suspended_at: account.suspendedAt,
    suspension_reason: account.suspensionReason,
    renewals_held: account.renewalsHeld,
    closed_at: account.closedAt,
    created_at: account.createdAt,
  };
}

export function accountOverviewRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/account_overview', { config: ownMedia('account_overview') }, async (request, reply) => {
    const context = contextOf(request);
    const { account } = parametersOf(request, 'account');
    const found = isUuid(account) ? await findAccount(context.env, account) : undefined;
    if (!found) throw new ApiError([errors.recordNotFound(account)]);
    return reply.header('cache-control', 'no-store').send(await readAccountOverview(context.env, found));
  });
}
