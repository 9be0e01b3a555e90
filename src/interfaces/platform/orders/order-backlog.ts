/**
 * Refuses new orders of an account while those it has already made are completed late: more of them would only wait
 * longer, and keep the orders of others waiting too.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { Overloaded } from '../../../engines/db/unavailable.ts';
import type { Environment } from '../../../engines/environment.ts';
import type { OrderBacklog, PlatformEnvironment } from '../context.ts';
import { fulfilOrderTask } from './fulfil-orders.ts';

/** Orders are late once the oldest has waited for so long. */
const lateMs = 2_000;
/** Orders that may wait meanwhile: of one account, and of all. */
const mostOfAccount = 20;
const mostOfAll = 1_000;
/** How long a look at the queue counts, so that a flood of orders is not one of looks. */
const freshMs = 250;

/** Throws `Overloaded` (503, Retry-After) if the account's orders already wait too long. */
export async function requirePromptOrders(
  env: PlatformEnvironment,
  db: Kysely<Schema>,
  accountId: string,
): Promise<void> {
  const { oldest, byAccount, total } = await recentLook(env, db);
  const isLate = oldest !== null && env.clock.now().getTime() - oldest.getTime() > lateMs;
  if (isLate && ((byAccount.get(accountId) ?? 0) >= mostOfAccount || total >= mostOfAll)) {
    throw new Overloaded('earlier orders still wait to be completed');
  }
}

async function recentLook(env: PlatformEnvironment, db: Kysely<Schema>): Promise<OrderBacklog> {
  const known = env.orderLook.made;
  const at = performance.now();
  if (known !== undefined && at - known.at < freshMs) return known.backlog;
  if (db.isTransaction) {
    // Others must not wait for this transaction, nor fail with it.
    const seen = await look(db, env.clock);
    env.orderLook.made = { at, backlog: Promise.resolve(seen) };
    return seen;
  }
  const backlog = look(db, env.clock);
  env.orderLook.made = { at, backlog };
  backlog.catch(() => {
    // The next order looks again.
    env.orderLook.made = undefined;
  });
  return backlog;
}

async function look(db: Kysely<Schema>, clock: Environment['clock']): Promise<OrderBacklog> {
  const { rows } = await sql<{ account_id: string; waiting: number; oldest: Date }>`
    select o.account_id, count(*)::int as waiting, min(j.run_at) as oldest
    from due_jobs(${fulfilOrderTask.name}, ${clock.now()}, ${mostOfAll}) j
    join orders o on o.id = (j.payload->>'order_id')::uuid
    group by o.account_id
  `.execute(db);
  return {
    oldest: rows.reduce<Date | null>((first, { oldest }) => (first === null || oldest < first ? oldest : first), null),
    byAccount: new Map(rows.map(({ account_id, waiting }) => [account_id, waiting])),
    total: rows.reduce((sum, { waiting }) => sum + waiting, 0),
  };
}
