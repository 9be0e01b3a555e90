/** The jobs that delete uploads: expired ones, and ones that were never completed. */
import { defineTask } from '../../jobs/task.ts';

export const expireFileTask = defineTask<{ encrypted_file_id: string }>('regulation.expire_file', {
  priority: 'background',
});
export const forgetUploadTask = defineTask<{ stored_file_id: string }>('regulation.forget_upload', {
  priority: 'background',
});
