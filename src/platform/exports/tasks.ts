import type { Tasks } from '../../jobs/tasks.ts';
import { deleteExport, makeExport } from './make-export.ts';

export const exportTasks: Tasks = { 'exports.make': makeExport, 'exports.delete': deleteExport };
