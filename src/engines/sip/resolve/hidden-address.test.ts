/** Which addresses of a Contact are not used, and where a request within a dialog goes instead. */
import { expect, test } from 'vitest';
import { parseVia } from '../message/via.ts';
import { responseTarget } from '../transport/response-target.ts';
import type { Flow } from '../transport/wire.ts';
import { isHidden } from './hidden-address.ts';
import { nextHopTarget } from './next-hop.ts';

test.each([
  ['192.168.1.5', '203.0.113.9', true],
  ['10.0.0.5', '203.0.113.9', true],
  ['100.64.3.4', '203.0.113.9', true],
  ['10.0.0.5', '192.168.1.1', true],
  ['0.0.0.0', '203.0.113.9', true],
  ['fd00::5', '2001:db8::9', true],
  ['10.0.0.5', '10.0.0.9', false],
  ['198.51.100.5', '203.0.113.9', false],
  ['203.0.113.9', '203.0.113.9', false],
  ['pbx.example', '203.0.113.9', false],
])('%s, seen from %s: hidden is %s', (address, seenFrom, expected) => {
  expect(isHidden(address, seenFrom)).toBe(expected);
});

const source: Flow = { transport: 'UDP', address: '203.0.113.9', port: 40_123, connection: 0 };

test.each([
  ['sip:pbx@192.168.1.5:5060', { transport: 'UDP', address: '203.0.113.9', port: 40_123 }],
  ['sip:pbx@198.51.100.5:5062', { transport: 'UDP', address: '198.51.100.5', port: 5062 }],
  ['sip:pbx@203.0.113.9:5062', { transport: 'UDP', address: '203.0.113.9', port: 5062 }],
])('a request within a dialog to %s', (contact, expected) => {
  expect(nextHopTarget(contact, source)).toMatchObject(expected);
});

test('over TCP the connection of the hidden peer is used', () => {
  const peer: Flow = { ...source, transport: 'TCP', connection: 7 };
  expect(nextHopTarget('sip:pbx@192.168.1.5:5060;transport=tcp', peer)).toEqual(peer);
});

test('a response goes to the source port if Via names a hidden address, also without rport', () => {
  const hidden = parseVia('SIP/2.0/UDP 192.168.1.5:5060;branch=z9hG4bK1');
  const open = parseVia('SIP/2.0/UDP 203.0.113.9:5062;branch=z9hG4bK1');
  expect(responseTarget(hidden, source, false).port).toBe(40_123);
  expect(responseTarget(open, source, false).port).toBe(5062);
});
