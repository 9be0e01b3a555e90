/** The members by which a request retries a job or a callback. */

import { OperatorError } from '../../base/operator-error.ts';
import { boolean, text } from '../../engines/jsonapi/attributes.ts';

export const retryMembers = (doc: string) => ({
  retry: boolean({ write: 'update', writeOnly: true, doc: `True: ${doc}` }),
  reason: text({ write: 'update', writeOnly: true, doc: 'Why; kept in the audit log.' }),
});

/** Throws unless the request asks for something. */
export function requireRetry({ retry }: { retry?: boolean | null }): void {
  if (retry !== true) throw new OperatorError('Nothing else can be changed than `retry`, to true.');
}
