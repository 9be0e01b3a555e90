/** Delivery receipts: what a network says later about a message it took. */
import type { Delivery } from './messages.ts';

export interface Receipt {
  messageId: string;
  state: ReceiptState;
}

export type ReceiptState = 'delivered' | 'failed' | 'underway';

const RECEIPTED_MESSAGE_ID = 0x001e;
const MESSAGE_STATE = 0x0427;

/** Null for a deliver_sm that is a message from a handset and no receipt. */
export function readReceipt({ esmClass, message, tlvs }: Delivery): Receipt | null {
  if ((esmClass & 0x3c) !== 0x04) return null;
  const text = message.toString('latin1');
  const messageId = textOf(tlvs.get(RECEIPTED_MESSAGE_ID)) ?? /\bid:\s*(\S+)/i.exec(text)?.[1];
  if (messageId === undefined) return null;
  const number = tlvs.get(MESSAGE_STATE)?.[0];
  const word = /\bstat:\s*([A-Z]+)/i.exec(text)?.[1]?.toUpperCase();
  return {
    messageId,
    state: (number === undefined ? undefined : BY_NUMBER[number]) ?? BY_WORD[word ?? ''] ?? 'underway',
  };
}

const BY_NUMBER: Readonly<Record<number, ReceiptState>> = {
  1: 'underway',
  2: 'delivered',
  3: 'failed',
  4: 'failed',
  5: 'failed',
  6: 'underway',
  7: 'underway',
  8: 'failed',
};

const BY_WORD: Readonly<Record<string, ReceiptState>> = {
  DELIVRD: 'delivered',
  EXPIRED: 'failed',
  DELETED: 'failed',
  UNDELIV: 'failed',
  REJECTD: 'failed',
};

function textOf(octets: Buffer | undefined): string | undefined {
  return octets?.toString('latin1').replace(/\0.*$/s, '');
}
