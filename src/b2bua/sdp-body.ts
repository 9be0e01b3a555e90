/** Session descriptions in messages. */
import type { Content } from '../sip/dialog/agent.ts';
import type { SipMessage } from '../sip/message/message.ts';
import { bodyPart } from '../sip/message/multipart.ts';

/** The session description of a message, also as a part of a multipart body; null if it has none. */
export function sdpOf(message: SipMessage): Buffer | null {
  if (message.body.length === 0) return null;
  return bodyPart(message, 'application/sdp')?.body ?? null;
}

export const sdpContent = (body: Buffer): Content => ({ type: 'application/sdp', body });
