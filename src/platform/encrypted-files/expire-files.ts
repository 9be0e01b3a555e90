/** Runs the jobs that delete uploads. */
import { handle } from '../../jobs/handler.ts';
import { expireFileTask, forgetUploadTask } from './tasks.ts';

/** Deletes an upload a day after it was made. The proofs and documents that use it keep its bytes. */
export const expireFile = handle(expireFileTask, async ({ encrypted_file_id }, { env }) => {
  await env.db
    .deleteFrom('encrypted_files')
    .where('id', '=', encrypted_file_id)
    .where('expires_at', '<=', env.clock.now())
    .execute();
});

/** Deletes an upload that was never completed, because the process that received it ended. */
export const forgetUpload = handle(forgetUploadTask, async ({ stored_file_id }, { env }) => {
  await env.db.deleteFrom('stored_files').where('id', '=', stored_file_id).where('size', 'is', null).execute();
});
