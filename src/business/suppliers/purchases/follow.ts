/** A number that is to end with its period does so at its supplier too, before that renews it; and the other way. */
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { openSupplier } from '../open-supplier.ts';
import type { NumberChanges } from '../supplier.ts';
import type { Purchase } from './states.ts';
import { followTask, laneOf } from './tasks.ts';

const firstWaitMs = 30_000;

/** A number that was ended there is restored with the renewals that it is to have. */
function changesTo({ life, life_there }: Pick<Purchase, 'life' | 'life_there'>): NumberChanges {
  if (life === 'stops') return { terminated: true };
  const billingCycles = life === 'ends' ? 0 : null;
  return life_there === 'stops' ? { terminated: false, billingCycles } : { billingCycles };
}

export const followNumber = handle(followTask, async ({ purchase_id: id }, { env }: TaskContext<Environment>) => {
  const { db, clock, log } = env;
  const purchase = await db
    .selectFrom('supplier_purchases')
    .select(['id', 'supplier_id', 'their_did_id', 'life', 'life_there', 'number'])
    .where('id', '=', id)
    .where('state', '=', 'obtained')
    .executeTakeFirst();
  if (!purchase?.their_did_id || purchase.life === purchase.life_there) return;
  const supplier = await openSupplier(env, purchase.supplier_id);
  const changed = await supplier.changeNumber(purchase.their_did_id, changesTo(purchase));
  const now = clock.now();
  if (changed.kind === 'done') {
    const facts = { life_there: purchase.life, expires_there: changed.value.expiresAt, reason: null };
    await db.updateTable('supplier_purchases').set(facts).where('id', '=', id).execute();
    return;
  }
  await db.updateTable('supplier_purchases').set({ reason: changed.text }).where('id', '=', id).execute();
  // The nightly comparison shows it to the operator.
  if (changed.kind === 'refused')
    return log.warn({ number: purchase.number, reason: changed.text }, 'a supplier refused');
  const at = changed.kind === 'limited' ? changed.until : new Date(now.getTime() + firstWaitMs);
  const options = { at, key: `${followTask.name}:${id}`, lanes: [laneOf(purchase.supplier_id)] };
  await env.jobs.add(db, followTask, { purchase_id: id }, options);
});
