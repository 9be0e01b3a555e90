/** The jobs about purchases at suppliers. Those of one supplier wait for each other, never for another's. */
import { defineTask } from '../../../engines/jobs/task.ts';

const lanes = { supplier: 8 };

/** Brings a purchase on, step by step. Also added by SQL (`queue_purchase`). */
export const obtainTask = defineTask<{ purchase_id: string }>('suppliers.obtain', {
  priority: 'orders',
  outward: true,
  lanes,
});

/** Has a number end at its supplier with its period, or no longer. Added by SQL (`dids_end_at_suppliers`). */
export const followTask = defineTask<{ purchase_id: string }>('suppliers.follow', {
  priority: 'background',
  outward: true,
  lanes,
});

/** As in the database's `queue_purchase`. */
export const laneOf = (supplierId: string): string => `supplier:${supplierId}`;
