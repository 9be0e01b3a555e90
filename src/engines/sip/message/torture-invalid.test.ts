/** Invalid messages by section of RFC 4475: requests are refused with a status, what is no SIP is not parsed. */
import { expect, test } from 'vitest';
import { checkMessage } from './check.ts';
import { parseMessage } from './parse.ts';
import { SipError } from './sip-error.ts';
import { invalidMessages } from './torture.fixture.ts';

/** Status with which the message is refused; null when accepted, 'unreadable' when it cannot be parsed. */
function verdict(bytes: Buffer): number | null | 'unreadable' {
  try {
    return checkMessage(parseMessage(bytes))?.status ?? null;
  } catch (error) {
    if (error instanceof SipError) return 'unreadable';
    throw error;
  }
}

test.each(invalidMessages)('%s', (_section, bytes, expected) => {
  expect(verdict(bytes)).toBe(expected);
});
