/**
 * Numbers of suppliers that nobody has asked for in a while are no longer shown: they may be sold there by now. Nor are
 * those of a supplier that is not active any more, or of a group that is not on sale any more.
 */
import { sql } from 'kysely';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { planOnce } from '../../../engines/jobs/plan-once.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { dropShown } from './mirror-numbers.ts';

/** Also added by SQL (`suppliers_withdrawn`). */
const sweepTask = defineTask('suppliers.sweep_stock', { priority: 'background' });

/** How long a number is shown without the supplier naming it again. */
const shownMs = 15 * 60_000;

/** Planned by each look; the sweeps of one quarter of an hour are one. */
export async function planSweep(env: Environment, now: Date): Promise<void> {
  const at = new Date(Math.ceil((now.getTime() + 1) / shownMs) * shownMs + shownMs);
  await planOnce(env, sweepTask, at, at.toISOString());
}

export const sweepStock = handle(sweepTask, (_payload, { env }: TaskContext<Environment>) => {
  const now = env.clock.now();
  const isOver = sql`(n.seen_at < ${new Date(now.getTime() - shownMs)} or not exists (
    select from supplier_groups g join suppliers s on s.id = g.supplier_id
    where g.id = n.supplier_group_id and g.on_sale and s.active))`;
  return inTransaction(env.db, async (trx) => {
    const { rows } = await sql<{ id: string }>`
      select distinct n.supplier_group_id as id from supplied_numbers n where ${isOver}`.execute(trx);
    await dropShown(trx, isOver, now);
    // Counts anew what is not shown.
    await sql`
      update supplier_groups set stock = stock where id in (
        select g.id from supplier_groups g where g.id = any(${rows.map(({ id }) => id)}::uuid[]) order by g.id for update)
    `.execute(trx);
  });
});
