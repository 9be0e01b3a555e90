/** The tasks of callbacks. */
import { defineTask } from '../jobs/task.ts';

export const attemptDeliveryTask = defineTask<{ delivery_id: string }>('deliveries.attempt', {
  priority: 'callbacks',
  outward: true,
  // One account can use only a part of a process's parallel requests, and one receiver only a part of that.
  lanes: { receiver: 8, account: 64 },
});
export const forgetDeliveriesTask = defineTask('deliveries.forget', { priority: 'background' });
