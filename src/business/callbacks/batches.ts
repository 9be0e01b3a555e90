/**
 * Callbacks of one batch, the changes of an outbound trunk: each change is a callback with an id and ten attempts of
 * its own, they go out in order, and what is still undelivered goes out together with the next change (contract part 2,
 * 21). A body that was sent once stays as it is; a callback takes over the entries of those before it when it is
 * attempted for the first time.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { countRunning } from '../../engines/jobs/coming.ts';
import { addAttempt, attemptDeliveryTask, type Receiver } from './attempt-job.ts';
import type { Payload } from './callback-request.ts';

/** With more entries a callback is not taken over: the next one waits until it is delivered or given up. */
const mostEntries = 100;

interface Batched extends Receiver {
  id: string;
  batch: string;
}

/**
 * What the callback sends now, while no other of its batch is sent; null if it is not its turn. Whatever is before it
 * is told by `wakeBatch`, when that has ended.
 */
export function claimTurn(
  env: Environment,
  delivery: Batched,
): Promise<{ payload: Payload[]; attempts: number } | null> {
  const now = env.clock.now();
  return inTransaction(env.db, async (trx) => {
    await lockBatch(trx, delivery.batch);
    const rows = await pendingOf(trx, delivery.batch);
    const own = rows.find(({ id }) => id === delivery.id);
    if (own === undefined) return null;
    // The process that sent it was stopped, and its job runs again; or another job of it is sending it now, and tells
    // the next.
    if (own.sending) {
      return (await countRunning(trx, attemptDeliveryTask, { delivery_id: own.id })) > 1
        ? null
        : { payload: entriesOf(own), attempts: own.attempts };
    }
    if (rows.some(({ sending }) => sending)) return null;
    const together = firstThatFit(rows);
    const last = together.at(-1);
    if (last !== undefined && last.id !== own.id) {
      await addAttempt(trx, env, { ...delivery, id: last.id }, last.next_attempt_at ?? now);
      return null;
    }
    const payload = together.flatMap(entriesOf);
    const former = together.slice(0, -1).map(({ id }) => id);
    if (former.length > 0)
      await trx
        .updateTable('deliveries')
        .set({ status: 'merged', next_attempt_at: null, finished_at: now })
        .where('id', 'in', former)
        .execute();
    await trx
      .updateTable('deliveries')
      .set({ sending: true, payload: JSON.stringify(payload) })
      .where('id', '=', own.id)
      .execute();
    return { payload, attempts: own.attempts };
  });
}

/**
 * Adds an entry to the newest callback of the batch, if that was never sent. Returns false if there is no such
 * callback.
 */
export async function joinBatch(trx: Kysely<Schema>, batch: string, entry: Payload): Promise<boolean> {
  await lockBatch(trx, batch);
  const newest = (await pendingOf(trx, batch)).at(-1);
  if (newest === undefined || newest.sending || newest.attempts > 0 || entriesOf(newest).length >= mostEntries) {
    return false;
  }
  await trx
    .updateTable('deliveries')
    .set({ payload: JSON.stringify([...entriesOf(newest), entry]) })
    .where('id', '=', newest.id)
    .execute();
  return true;
}

/** After a callback of the batch was attempted or given up: the newest of those that still wait takes its turn. */
export async function wakeBatch(trx: Kysely<Schema>, env: Environment, ended: Batched): Promise<void> {
  const newest = (await pendingOf(trx, ended.batch)).filter(({ id }) => id !== ended.id).at(-1);
  if (newest !== undefined) await addAttempt(trx, env, { ...ended, id: newest.id }, env.clock.now());
}

/** Until the end of the transaction nobody else decides about the batch. */
export async function lockBatch(trx: Kysely<Schema>, batch: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`callbacks ${batch}`}, 0))`.execute(trx);
}

interface Pending {
  id: string;
  payload: unknown;
  attempts: number;
  sending: boolean;
  next_attempt_at: Date | null;
}

/** In the order of their changes. */
function pendingOf(trx: Kysely<Schema>, batch: string): Promise<Pending[]> {
  return trx
    .selectFrom('deliveries')
    .select(['id', 'payload', 'attempts', 'sending', 'next_attempt_at'])
    .where('batch', '=', batch)
    .where('status', '=', 'pending')
    .orderBy('place')
    .execute();
}

function firstThatFit(rows: readonly Pending[]): Pending[] {
  let entries = 0;
  const beyond = rows.findIndex((row) => {
    entries += entriesOf(row).length;
    return entries > mostEntries;
  });
  return rows.slice(0, beyond === -1 ? rows.length : Math.max(1, beyond));
}

function entriesOf({ payload }: Pick<Pending, 'payload'>): Payload[] {
  return Array.isArray(payload) ? payload : [];
}
