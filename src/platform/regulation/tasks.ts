import type { Tasks } from '../../jobs/tasks.ts';
import { fileTasks } from './files/tasks.ts';

/** Everything that regulation paperwork does by the clock. */
export const regulationTasks: Tasks = { ...fileTasks };
