/** Purchases as rows: begun, moved from one state to the next, and looked at again later. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';
import { type Purchase, type PurchaseFacts, type PurchaseState, workingStates } from './states.ts';
import { laneOf, obtainTask } from './tasks.ts';

/** Stores that the next step is begun, before anything is sent. Null if there is nothing to do. */
export async function beginStep(db: Kysely<Schema>, id: string): Promise<Purchase | null> {
  const begun = await db
    .updateTable('supplier_purchases')
    .set((eb) => ({ begun: eb('begun', '+', 1) }))
    .where('id', '=', id)
    .where('state', 'in', workingStates)
    .returningAll()
    .executeTakeFirst();
  return begun ?? null;
}

interface Move {
  readonly to: PurchaseState;
  readonly facts?: PurchaseFacts;
  readonly reason?: string;
  readonly now: Date;
}

/**
 * False if something else has become of the purchase meanwhile: it is only noted then what was learned, so that it can
 * be given back.
 */
export async function movePurchase(
  db: Kysely<Schema>,
  { id, state }: Pick<Purchase, 'id' | 'state'>,
  { to, facts = {}, reason, now }: Move,
): Promise<boolean> {
  const moved = await db
    .updateTable('supplier_purchases')
    .set({ ...facts, state: to, begun: 0, reason: reason ?? null, changed_at: now })
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirstOrThrow();
  if (moved.numUpdatedRows > 0n) return true;
  const { their_order_id, their_reservation_id } = facts;
  if (their_order_id !== undefined || their_reservation_id !== undefined) {
    await db
      .updateTable('supplier_purchases')
      .set({
        ...(their_order_id ? { their_order_id } : {}),
        ...(their_reservation_id ? { their_reservation_id } : {}),
      })
      .where('id', '=', id)
      .execute();
  }
  return false;
}

const longestWaitSeconds = 300;

/** When a purchase is looked at again: sooner at first, since most are over in a moment. */
export function nextLook({ begun }: Pick<Purchase, 'begun'>, now: Date): Date {
  const seconds = Math.min(2 ** Math.min(begun - 1, 16), longestWaitSeconds);
  return new Date(now.getTime() + Math.max(seconds, 1) * 1000);
}

export async function lookLater(
  db: Kysely<Schema>,
  env: Pick<Environment, 'jobs'>,
  { id, supplier_id }: Pick<Purchase, 'id' | 'supplier_id'>,
  { at, reason }: { at: Date; reason: string | null },
): Promise<void> {
  await db.updateTable('supplier_purchases').set({ reason }).where('id', '=', id).execute();
  await queueStep(db, env, { id, supplier_id }, at);
}

export async function queueStep(
  db: Kysely<Schema>,
  env: Pick<Environment, 'jobs'>,
  { id, supplier_id }: Pick<Purchase, 'id' | 'supplier_id'>,
  at?: Date,
): Promise<void> {
  const options = { key: `${obtainTask.name}:${id}`, lanes: [laneOf(supplier_id)] };
  await env.jobs.add(db, obtainTask, { purchase_id: id }, at === undefined ? options : { ...options, at });
}

/**
 * Gives back what was asked for at suppliers for an order that is canceled. Its numbers that were taken already do so
 * by themselves (the database's `dids_left_suppliers`).
 */
export async function undoPurchasesOf(trx: Kysely<Schema>, env: Environment, orderId: string): Promise<void> {
  const { rows } = await sql<{ id: string; supplier_id: string }>`
    update supplier_purchases p set state = 'undoing', begun = 0, changed_at = ${env.clock.now()}
    from open_purchases o where o.id = p.id and o.order_id = ${orderId}
    returning p.id, p.supplier_id`.execute(trx);
  for (const purchase of rows) await queueStep(trx, env, purchase);
}
