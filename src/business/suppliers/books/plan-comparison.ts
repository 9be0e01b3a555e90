/** When what suppliers hold for us is compared with what is sold here: every hour, while anything is. */
import type { Environment } from '../../../engines/environment.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { laneOf } from '../purchases/tasks.ts';

export const compareTask = defineTask<{ supplier_id: string }>('suppliers.compare', {
  priority: 'background',
  outward: true,
  isUpkeep: true,
  lanes: { supplier: 8 },
});

const everyMs = 3_600_000;

/** One at a time for a supplier; not in the caller's transaction, where others would wait for its key. */
export async function planComparison({ jobs, db, clock }: Environment, supplierId: string): Promise<void> {
  const at = new Date((Math.floor(clock.now().getTime() / everyMs) + 1) * everyMs);
  const key = `${compareTask.name}:${supplierId}:${at.toISOString()}`;
  if (jobs.planned.get(`${compareTask.name}:${supplierId}`) === key) return;
  await jobs.add(db, compareTask, { supplier_id: supplierId }, { at, key, lanes: [laneOf(supplierId)] });
  jobs.planned.set(`${compareTask.name}:${supplierId}`, key);
}
