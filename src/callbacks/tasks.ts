/** The jobs of callbacks. */
import { defineTask } from '../jobs/task.ts';

export const attemptDeliveryTask = defineTask<{ delivery_id: string }>('deliveries.attempt', {
  priority: 'callbacks',
  outward: true,
});
export const forgetDeliveriesTask = defineTask('deliveries.forget', { priority: 'background' });
