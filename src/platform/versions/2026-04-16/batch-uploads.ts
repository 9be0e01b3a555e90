/** Several files came in one form, and only their ids were answered. */
import type { UploadForm } from '../../regulation/files/upload-form.ts';

/** As many as two proofs can take. */
const MOST_FILES = 10;

export const BATCH: UploadForm = {
  file: 'encrypted_files[items][][file]',
  description: 'encrypted_files[items][][description]',
  files: MOST_FILES,
};

export const batchAnswer = (ids: readonly string[]): object => ({ ids });
