/** A delivery receipt as an HTTP provider sends it: which message it is about and what became of it, by the provider's rules. */

import type { Receipt } from '../smpp/receipt.ts';
import type { HttpProviderSettings } from './http-provider.ts';

export interface ReceiptRequest {
  /** Without the question mark. */
  query: string;
  contentType: string;
  body: string;
}

/** Null when the rules find no message, or the provider has no rules. A state that matches neither rule is still to come. */
export function readHttpReceipt(rules: HttpProviderSettings['receipt'], request: ReceiptRequest): Receipt | null {
  if (rules === undefined) return null;
  const text = receiptText(request);
  const messageId = new RegExp(rules.message_id, 's').exec(text)?.[1];
  if (messageId === undefined) return null;
  if (new RegExp(rules.failed, 's').test(text)) return { messageId, state: 'failed' };
  return { messageId, state: new RegExp(rules.delivered, 's').test(text) ? 'delivered' : 'underway' };
}

/** What the rules are matched with: parameters of the query and of a form as lines `name=value`, any other body as it is. */
function receiptText({ query, contentType, body }: ReceiptRequest): string {
  const isForm = /x-www-form-urlencoded/i.test(contentType);
  return [...lines(query), ...(isForm ? lines(body) : [body])].join('\n');
}

const lines = (form: string) => [...new URLSearchParams(form)].map(([name, value]) => `${name}=${value}`);
