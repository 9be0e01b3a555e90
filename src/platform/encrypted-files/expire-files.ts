/** Removes uploaded files when their time is over. */
import { handle } from '../../jobs/handler.ts';
import { expireFileTask, forgetUploadTask } from '../regulation/tasks.ts';

/** A day after its upload a file is gone; what a proof or document holds of it stays with that. */
export const expireFile = handle(expireFileTask, async ({ encrypted_file_id }, { env }) => {
  await env.db
    .deleteFrom('encrypted_files')
    .where('id', '=', encrypted_file_id)
    .where('expires_at', '<=', env.clock.now())
    .execute();
});

/** Clears away an upload whose process died on the way. */
export const forgetUpload = handle(forgetUploadTask, async ({ stored_file_id }, { env }) => {
  await env.db.deleteFrom('stored_files').where('id', '=', stored_file_id).where('size', 'is', null).execute();
});
