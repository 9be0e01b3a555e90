/**
 * The log of callbacks: listing, replaying, erasing personal text from it, and deleting it after 30 days by whole
 * months.
 */
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { handle } from '../../engines/jobs/handler.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { addAttempt } from './attempt-job.ts';
import { wakeBatch } from './batches.ts';

type LoggedDelivery = Omit<Selectable<Schema['deliveries']>, 'sealed_signing_key' | 'batch' | 'place' | 'sending'>;
/** Includes the outcome of the newest attempt, null before the first. */
interface ListedDelivery extends LoggedDelivery {
  last_status: number | null;
  last_error: string | null;
}

type LoggedAttempt = Selectable<Schema['delivery_attempts']>;

const columns = [
  'id',
  'account_id',
  'kind',
  'resource_id',
  'url',
  'method',
  'payload',
  'status',
  'attempts',
  'next_attempt_at',
  'created_at',
  'finished_at',
] as const;

interface DeliverySelection {
  accountId?: string;
  status?: LoggedDelivery['status'];
  limit?: number;
}

/** Returns the newest deliveries first. */
export function listDeliveries(env: Environment, selection: DeliverySelection = {}): Promise<ListedDelivery[]> {
  let query = env.db
    .selectFrom('deliveries')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('delivery_attempts')
          .select(['delivery_attempts.status as attempt_status', 'error'])
          .whereRef('delivery_attempts.delivery_id', '=', 'deliveries.id')
          .orderBy('attempted_at', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .select(columns)
    .select(['last.attempt_status as last_status', 'last.error as last_error'])
    .where(isListed(env));
  if (selection.accountId !== undefined) query = query.where('account_id', '=', selection.accountId);
  if (selection.status !== undefined) query = query.where('status', '=', selection.status);
  return query
    .orderBy('created_at', 'desc')
    .limit(selection.limit ?? 50)
    .execute();
}

export async function showDelivery(
  env: Environment,
  id: string,
): Promise<{ delivery: LoggedDelivery; attempts: LoggedAttempt[] } | null> {
  const delivery = await env.db
    .selectFrom('deliveries')
    .select(columns)
    .where('id', '=', id)
    .where(isListed(env))
    .executeTakeFirst();
  if (delivery === undefined) return null;
  const attempts = await env.db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', '=', id)
    .where('attempted_at', '>=', keptSince(env.clock.now()))
    .orderBy('attempted_at')
    .execute();
  return { delivery, attempts };
}

/** Restarts the whole retry schedule now, with the same `webhook-id`. Returns false if there is no such delivery. */
export async function replayDelivery(env: Environment, id: string, accountId?: string): Promise<boolean> {
  return (await replay(env, { id, ...(accountId === undefined ? {} : { accountId }) })) === 1;
}

/** Callbacks that were given up or dropped, by account and by the time they were created. */
interface DeliveryChoice {
  accountId?: string | null;
  since?: Date | null;
  until?: Date | null;
}

/** At most this many at a time, so that the transaction stays short. */
const mostReplayed = 10_000;

/** As `replayDelivery`, for many; the oldest first. Returns how many there were. */
export function replayDeliveries(env: Environment, choice: DeliveryChoice): Promise<number> {
  return replay(env, { ...choice, statuses: ['failed', 'dropped'] });
}

function replay(env: Environment, choice: Chosen): Promise<number> {
  const now = env.clock.now();
  return inTransaction(env.db, async (trx) => {
    const replayed = await trx
      .updateTable('deliveries')
      .set({ status: 'pending', attempts: 0, next_attempt_at: now, finished_at: null, batch: null, sending: false })
      .where('id', 'in', chosen(trx, choice))
      .returning(['id', 'account_id', 'url'])
      .execute();
    for (const delivery of replayed) await addAttempt(trx, env, delivery, now);
    return replayed.length;
  });
}

/** Gives up callbacks that are still to be sent: one, or those of an account and time. Returns how many there were. */
export async function discardDeliveries(env: Environment, choice: DeliveryChoice & { id?: string }): Promise<number> {
  return inTransaction(env.db, async (trx) => {
    const discarded = await trx
      .updateTable('deliveries')
      .set({ status: 'dropped', sending: false, next_attempt_at: null, finished_at: env.clock.now() })
      .where('id', 'in', chosen(trx, { ...choice, statuses: ['pending'] }))
      .returning(['id', 'account_id', 'url', 'batch'])
      .execute();
    for (const { batch, ...delivery } of discarded)
      if (batch !== null) await wakeBatch(trx, env, { ...delivery, batch });
    return discarded.length;
  });
}

interface Chosen extends DeliveryChoice {
  id?: string;
  statuses?: readonly LoggedDelivery['status'][];
}

function chosen(db: Kysely<Schema>, { id, accountId, since, until, statuses }: Chosen) {
  let query = db.selectFrom('deliveries as d').select('d.id').orderBy('d.created_at').limit(mostReplayed);
  if (id !== undefined) query = query.where('d.id', '=', id);
  if (accountId != null) query = query.where('d.account_id', '=', accountId);
  if (since != null) query = query.where('d.created_at', '>=', since);
  if (until != null) query = query.where('d.created_at', '<=', until);
  if (statuses !== undefined) query = query.where('d.status', 'in', statuses);
  return query.forUpdate();
}

type Builder = ExpressionBuilder<Schema, 'deliveries'>;

/** Condition for listed deliveries: finished ones for 30 days, unfinished ones always. */
function isListed(env: Environment) {
  return (eb: Builder) => eb.or([eb('finished_at', 'is', null), eb('finished_at', '>=', keptSince(env.clock.now()))]);
}

export const forgetDeliveriesTask = defineTask('deliveries.forget', { priority: 'background' });

export const keptDays = 30;

export const forgetDeliveries = handle(forgetDeliveriesTask, async (_payload, { env }) => {
  const before = keptSince(env.clock.now());
  await sql`select drop_month_partitions('delivery_attempts', ${before})`.execute(env.db);
  await env.db.deleteFrom('deliveries').where('finished_at', '<', before).execute();
});

function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * 86_400_000);
}

/**
 * Empties `member` in every callback of the account about these resources, and the logged requests of their attempts.
 */
export async function eraseFromCallbacks(
  trx: Kysely<Schema>,
  about: { accountId: string; resourceIds: readonly string[]; member: string },
): Promise<void> {
  await sql`
    with erased as (
      update deliveries set payload = jsonb_set(payload, array[${about.member}::text], '""')
      where account_id = ${about.accountId} and resource_id = any(${about.resourceIds}::uuid[])
        and payload ->> ${about.member}::text <> ''
      returning id
    )
    delete from delivery_attempts a using erased where a.delivery_id = erased.id`.execute(trx);
}
