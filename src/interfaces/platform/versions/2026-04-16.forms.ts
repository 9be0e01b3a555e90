/**
 * Requests that differ too much between versions to be rewritten. The code that reads an upload or an export calls
 * these functions to get the form that the request's version uses.
 */

/** The names of the parts of a multipart upload. */
export interface UploadForm {
  file: string;
  description: string;
  /** The largest number of files in one form. */
  files: number;
  /** Builds the response where it is not a JSON:API document. */
  response?: (ids: readonly string[]) => object;
}

const oneFile: UploadForm = {
  file: 'encrypted_files[file]',
  description: 'encrypted_files[description]',
  files: 1,
};

/** Several files in one form; the response lists only their ids. */
const batchOfFiles: UploadForm = {
  file: 'encrypted_files[items][][file]',
  description: 'encrypted_files[items][][description]',
  // Enough for two proofs of five files each.
  files: 10,
  response: (ids) => ({ ids }),
};

/** Returns the upload forms that a version accepts. */
export const uploadFormsOf = (version: string): UploadForm[] =>
  version < '2026-04-16' ? [batchOfFiles, oneFile] : [oneFile];

/**
 * How the period of an export is given: `moments` is `from` and `to`; `calendar` is `year`, `month` and optionally
 * `day`.
 */
export type WindowForm = 'moments' | 'calendar';

export const windowFormOf = (version: string): WindowForm => (version < '2026-04-16' ? 'calendar' : 'moments');
