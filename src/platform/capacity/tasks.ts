/** The jobs of capacity pools. */
import { defineTask } from '../../jobs/task.ts';

/** SQL adds it too, for a new pool (migration 0013). */
export const renewPoolTask = defineTask<{ capacity_pool_id: string }>('capacity.renew', { priority: 'background' });
