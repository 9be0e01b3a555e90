/** Several files came in one form, and only their ids were answered. */
import { ONE_FILE, type UploadForm } from '../../regulation/files/upload-form.ts';

/** As many as two proofs can take. */
const MOST_FILES = 10;

const BATCH: UploadForm = {
  file: 'encrypted_files[items][][file]',
  description: 'encrypted_files[items][][description]',
  files: MOST_FILES,
  answer: (ids) => ({ ids }),
};

/** The forms a version takes. */
export const uploadFormsOf = (version: string): UploadForm[] =>
  version < '2026-04-16' ? [BATCH, ONE_FILE] : [ONE_FILE];
