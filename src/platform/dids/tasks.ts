import type { Tasks } from '../../jobs/tasks.ts';
import { dueNumbers } from './due-numbers.ts';
import { forgetHistory } from './history.ts';

export const didTasks: Tasks = {
  'dids.due': dueNumbers,
  'dids.forget_history': forgetHistory,
};
