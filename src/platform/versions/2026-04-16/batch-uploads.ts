/** Several files came in one form, and only their ids were answered. */

/** The form of an upload: what its parts are called. */
export interface UploadForm {
  file: string;
  description: string;
  /** How many files it may carry. */
  files: number;
  /** What it is answered with, where that is no document. */
  answer?: (ids: readonly string[]) => object;
}

export const ONE_FILE: UploadForm = {
  file: 'encrypted_files[file]',
  description: 'encrypted_files[description]',
  files: 1,
};

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
