import type { Tasks } from '../../jobs/tasks.ts';
import { fileTasks } from './files/tasks.ts';
import { autoDecide } from './review/auto-decision.ts';

/** Everything that regulation paperwork does by the clock. */
export const regulationTasks: Tasks = { ...fileTasks, 'regulation.auto-decide': autoDecide };
