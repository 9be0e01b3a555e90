/** Brings purchases at suppliers on, and the orders that wait for them: completed, tried otherwise, or canceled. */
import { type Kysely, sql } from 'kysely';
import { planComparison } from '../../../business/suppliers/books/plan-comparison.ts';
import { openSupplier } from '../../../business/suppliers/open-supplier.ts';
import {
  beginStep,
  lookLater,
  movePurchase,
  nextLook,
  queueStep,
} from '../../../business/suppliers/purchases/purchase-rows.ts';
import type { Purchase } from '../../../business/suppliers/purchases/states.ts';
import type { Step } from '../../../business/suppliers/purchases/steps.ts';
import { takeStep } from '../../../business/suppliers/purchases/take-step.ts';
import { obtainTask } from '../../../business/suppliers/purchases/tasks.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { fulfilOrderTask } from './fulfil-orders.ts';
import { followWishes, forOrderOf, receiveChosenByThem, replaceOrCancel } from './supplied-numbers.ts';

/** As far as it comes: the next step is taken at once, or later if the supplier is not so far. */
export const obtainSupplied = handle(
  obtainTask,
  async ({ purchase_id: id }, { env, stopping }: TaskContext<Environment>) => {
    await dropAbandoned(env, id);
    for (;;) {
      stopping.throwIfAborted();
      if (!(await advancePurchase(env, id))) return;
    }
  },
);

/** A reservation there that nobody has here: its request has died, or it is over. */
async function dropAbandoned({ db, clock }: Environment, id: string): Promise<void> {
  const now = clock.now();
  await sql`
    update supplier_purchases p set state = 'undoing', begun = 0, changed_at = ${now}
    where p.id = ${id} and p.order_id is null and p.state in ('reserving', 'reserved')
      and not exists (select from did_reservations r where r.number = p.number and r.expires_at > ${now})`.execute(db);
}

/** Takes one step. True if another can be taken at once. */
export async function advancePurchase(env: Environment, id: string): Promise<boolean> {
  const purchase = await beginStep(env.db, id);
  if (purchase === null) return false;
  const step = await takeStep(await openSupplier(env, purchase.supplier_id), purchase, env.clock.now());
  switch (step.kind) {
    case 'rest':
      return false;
    case 'later':
      await wait(env, purchase, step);
      return false;
    default: {
      const goesOn = await inTransaction(env.db, (trx) => apply(trx, env, purchase, step));
      if (step.kind === 'moved' && purchase.state === 'ordered') await planComparison(env, purchase.supplier_id);
      return goesOn;
    }
  }
}

/** So long a supplier may be out of reach before an order is canceled that it has not taken. */
const longestOutageMs = 24 * 3_600_000;

async function wait(env: Environment, purchase: Purchase, step: Extract<Step, { kind: 'later' }>): Promise<void> {
  const now = env.clock.now();
  const isTaken = purchase.state === 'ordered' || purchase.state === 'undoing';
  if (!isTaken && now.getTime() - purchase.created_at.getTime() > longestOutageMs) {
    await inTransaction(env.db, (trx) => giveUp(trx, env, purchase));
    return;
  }
  await lookLater(env.db, env, purchase, { at: step.until ?? nextLook(purchase, now), reason: step.reason });
}

/** What is known of it there is nothing, so it is looked for and given back. */
async function giveUp(trx: Kysely<Schema>, env: Environment, purchase: Purchase): Promise<void> {
  const order = await forOrderOf(trx, purchase);
  const reason = 'the supplier could not be reached';
  if (order !== null) return replaceOrCancel(trx, env, { purchase, order, blame: 'account', reason });
  await movePurchase(trx, purchase, { to: 'undoing', reason, now: env.clock.now() });
  await queueStep(trx, env, purchase);
}

async function apply(
  trx: Kysely<Schema>,
  env: Environment,
  purchase: Purchase,
  step: Extract<Step, { kind: 'moved' | 'refused' }>,
): Promise<boolean> {
  const now = env.clock.now();
  // The order first, as everybody locks it before its purchases.
  const order = await forOrderOf(trx, purchase);
  if (step.kind === 'refused') {
    const { reason, blame } = step;
    if (purchase.state === 'reserving' && (await isBeingGivenBack(trx, purchase))) {
      await lookLater(trx, env, purchase, { at: nextLook(purchase, now), reason });
      return false;
    }
    if (!(await movePurchase(trx, purchase, { to: 'refused', reason, now }))) return true;
    if (order !== null) await replaceOrCancel(trx, env, { purchase, order, blame, reason });
    return false;
  }
  const { to, facts, numbers = [] } = step;
  // Something else was decided meanwhile: that comes next.
  if (!(await movePurchase(trx, purchase, { to, facts, now }))) return true;
  if (order === null) return false;
  if (to === 'delivered') await receiveChosenByThem(trx, env, { purchase, order, numbers });
  if (to === 'obtained') await followWishes(trx, order.id);
  if (to === 'delivered' || to === 'obtained') {
    await env.jobs.add(trx, fulfilOrderTask, { order_id: order.id });
    return false;
  }
  return true;
}

/** The number is still reserved there by an earlier purchase of ours, which is about to give it back. */
async function isBeingGivenBack(trx: Kysely<Schema>, { number }: Purchase): Promise<boolean> {
  const earlier = await trx
    .selectFrom('supplier_purchases')
    .select('id')
    .where('number', '=', number)
    .where('state', '=', 'undoing')
    .executeTakeFirst();
  return earlier !== undefined;
}
