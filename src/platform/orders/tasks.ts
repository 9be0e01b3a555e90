/** The jobs of orders. */
import { defineTask } from '../../jobs/task.ts';

export const fulfilOrderTask = defineTask<{ order_id: string }>('orders.fulfil', { priority: 'orders' });
/** Stock has arrived, or a hold has lapsed: orders that wait for numbers are looked at. SQL adds it too (migration 0100). */
export const fulfilWaitingTask = defineTask('orders.fulfil_waiting', { priority: 'orders' });
export const forgetKeysTask = defineTask('orders.forget_keys', { priority: 'background' });
