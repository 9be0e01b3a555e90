/** Writes a message as bytes. Content-Length is always computed, so it is right on streams too. */
import type { SipMessage } from './message.ts';

export function serialise(message: SipMessage): Buffer {
  let head = message.isRequest
    ? `${message.method} ${message.uri} SIP/2.0\r\n`
    : `SIP/2.0 ${message.status} ${message.reason}\r\n`;
  for (const [name, value] of message.headers) {
    if (name !== 'Content-Length') head += `${name}: ${value}\r\n`;
  }
  head += `Content-Length: ${message.body.length}\r\n\r\n`;
  return message.body.length === 0 ? Buffer.from(head) : Buffer.concat([Buffer.from(head), message.body]);
}
