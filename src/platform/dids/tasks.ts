/** The jobs of numbers. */
import { defineTask } from '../../jobs/task.ts';

export const settleDueTask = defineTask('dids.settle_due', { priority: 'background' });
export const forgetHistoryTask = defineTask('dids.forget_history', { priority: 'background' });
