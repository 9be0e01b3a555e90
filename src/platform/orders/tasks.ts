import type { Tasks } from '../../jobs/tasks.ts';
import { fulfilOrderTask } from './fulfil-order.ts';
import { forgetKeys } from './idempotency.ts';
import { stockArrived } from './stock-arrived.ts';

export const orderTasks: Tasks = {
  'orders.fulfil': fulfilOrderTask,
  'orders.stock_arrived': stockArrived,
  'orders.forget_keys': forgetKeys,
};
