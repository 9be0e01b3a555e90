import type { Tasks } from '../jobs/tasks.ts';
import { attemptDelivery } from './attempt-callback.ts';
import { forgetDeliveries } from './forget.ts';

export const deliveryTasks: Tasks = {
  'deliveries.attempt': attemptDelivery,
  'deliveries.forget': forgetDeliveries,
};
