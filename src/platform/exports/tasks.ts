/** The jobs of exports. */
import { defineTask } from '../../jobs/task.ts';

export const makeExportTask = defineTask<{ export_id: string }>('exports.make', { priority: 'background' });
export const deleteExportTask = defineTask<{ export_id: string }>('exports.delete', { priority: 'background' });
