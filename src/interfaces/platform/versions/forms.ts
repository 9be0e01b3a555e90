/**
 * Requests that are no document of a type, or whose form a workflow reads: these functions say which form a version
 * uses.
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

/** The attribute of an upload that says when it expires. */
export const uploadExpiryOf = (version: string): string => (version < '2026-04-16' ? 'expire_at' : 'expires_at');

/**
 * How the period of an export is given: `moments` is `from` and `to`; `calendar` is `year`, `month` and optionally
 * `day`; `month` is `year` and `month`.
 */
export type WindowForm = 'moments' | 'calendar' | 'month';

export function windowFormOf(version: string): WindowForm {
  if (version < '2021-12-15') return 'month';
  return version < '2026-04-16' ? 'calendar' : 'moments';
}

/** What the callback of an export names: its type, and whether it has the address of the file. */
export const exportReportOf = (version: string): { type: string; hasUrl: boolean } => ({
  type: version < '2021-12-15' ? 'cdr_exports' : 'exports',
  hasUrl: version >= '2026-04-16',
});
