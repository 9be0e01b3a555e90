/** The first bytes of what comes to a port. */
import { expect, test } from 'vitest';
import { packetKind } from './packet-kind.ts';

test.each([
  ['0001', 'stun'],
  ['0101', 'stun'],
  ['1000', 'zrtp'],
  ['16fe', 'dtls'],
  ['14fe', 'dtls'],
  ['3fff', 'dtls'],
  ['8000', 'rtp'],
  ['80e5', 'rtp'],
  ['b2c8', 'rtcp'],
  ['80c9', 'rtcp'],
  ['80df', 'rtcp'],
  ['80e0', 'rtp'],
  ['80bf', 'rtp'],
  ['4000', null],
  ['ff00', null],
  ['80', null],
  ['', null],
])('%s is %s', (start, kind) => {
  expect(packetKind(Buffer.from(start, 'hex'))).toBe(kind);
});
