/** The jobs of callbacks. */
import { defineTask } from '../jobs/task.ts';

export const attemptDeliveryTask = defineTask<{ delivery_id: string }>('deliveries.attempt', {
  priority: 'callbacks',
  outward: true,
  // One account can fill only a part of what a process sends at once, and one receiver only a part of that.
  lanes: { receiver: 8, account: 64 },
});
export const forgetDeliveriesTask = defineTask('deliveries.forget', { priority: 'background' });
