import type { Tasks } from '../../../jobs/tasks.ts';
import { forgetUpload } from './stored-files.ts';

export const fileTasks: Tasks = {
  /** A day after its upload a file is gone; what a proof or document holds of it stays with that. */
  'regulation.expire-file': async ({ encrypted_file_id }, { env }) => {
    await env.db
      .deleteFrom('encrypted_files')
      .where('id', '=', String(encrypted_file_id))
      .where('expires_at', '<=', env.clock.now())
      .execute();
  },
  'regulation.forget-upload': ({ stored_file_id }, { env }) => forgetUpload(env.db, String(stored_file_id)),
};
