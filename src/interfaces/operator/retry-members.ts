/** The members by which a request retries a job or a callback. */

import { OperatorError } from '../../base/operator-error.ts';
import { boolean, text } from '../../engines/jsonapi/attributes.ts';
import type { Attribute } from '../../engines/jsonapi/facts.ts';
import type { WriteInput } from '../../engines/jsonapi/resource.ts';

export type RetryInput = WriteInput<{ retry?: boolean; reason?: string }>;

export const retryMembers = (doc: string): Record<'retry' | 'reason', Attribute> => ({
  retry: boolean({ write: 'update', writeOnly: true, doc: `True: ${doc}` }),
  reason: text({ write: 'update', writeOnly: true, doc: 'Why; kept in the audit log.' }),
});

/** Throws unless the request asks for something. */
export function requireRetry({ retry }: RetryInput['attributes']): void {
  if (retry !== true) throw new OperatorError('Nothing else can be changed than `retry`, to true.');
}
