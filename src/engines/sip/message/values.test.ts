/** URIs, addresses, credentials, header lists and the messages that follow from another one. */
import { expect, test } from 'vitest';
import { ackOfFailure, cancelOf, responseTo } from './build.ts';
import { formatCredentials, parseCredentials } from './credentials.ts';
import { HeaderList } from './header-list.ts';
import { SipRequest, SipResponse } from './message.ts';
import { bodyParts } from './multipart.ts';
import { formatNameAddress, parseNameAddress } from './name-address.ts';
import { parseMessage } from './parse.ts';
import { sameUri } from './same-uri.ts';
import { invite, ringing } from './samples.fixture.ts';
import { serialise } from './serialise.ts';
import { quote } from './text.ts';
import { decodeEscapes, encodeUser, formatUri, parseSipUriOnly, parseUri } from './uri.ts';

const parsedInvite = () => {
  const message = parseMessage(invite);
  if (!message.isRequest) throw new Error('a response');
  return message;
};

test.each([
  'sip:example.com',
  'sips:+44:pw@[2001:db8::1]:5061;transport=tls;lr?Subject=a&Priority=b',
  'sip:a%20b@192.0.2.1:5060;user=phone;maddr=224.2.0.1;ttl=16',
  'tel:+44-20-1234;phone-context=example.com',
])('%s is written as it was read', (text) => {
  expect(formatUri(parseUri(text))).toBe(text);
});

test.each([
  ['sip:%64esk@office.example;transport=TCP', 'sip:desk@OFFICE.example;Transport=tcp', true],
  ['sip:front@office.example', 'sip:front@office.example;colour=5', true],
  ['sip:front@office.example;colour=6', 'sip:front@office.example;colour=5', false],
  ['sip:b@x?b=1&a=2', 'sip:b@x?a=2&b=1', true],
  ['sip:Alice@x', 'sip:alice@x', false],
  ['sip:alice@x', 'sip:alice@x:5060', false],
  ['sip:alice@x', 'sip:alice@x;transport=udp', false],
  ['sip:alice@x', 'sips:alice@x', false],
  ['sip:alice@x', 'sip:alice@x?subject=1', false],
])('%s and %s: the same is %s', (one, other, same) => {
  expect(sameUri(parseSipUriOnly(one), parseSipUriOnly(other))).toBe(same);
  expect(sameUri(parseSipUriOnly(other), parseSipUriOnly(one))).toBe(same);
});

test('bad escapes are null, not an exception (trap 9)', () => {
  expect(['%41', '%zz', '%FF', '%'].map(decodeEscapes)).toEqual(['A', null, null, null]);
});

test('users from configuration are escaped', () => {
  expect(encodeUser('+44 20@x\r\nY: z')).toBe('+44%2020%40x%20Y%3A%20z');
  expect(decodeEscapes(encodeUser('naïve \ud800'))).toBe('naïve \ufffd');
});

test('line breaks in configured values cannot add a header', () => {
  const request = new SipRequest('OPTIONS', 'sip:x');
  request.headers.add(
    'From',
    formatNameAddress({ displayName: 'Eve\r\nX-Two: "2"', uri: 'sip:a@b>\r\nX-One: 1', parameters: new Map() }),
  );
  request.headers.set('Subject', 'hello\r\n\r\nX-Three: 3');
  request.headers.prepend('Via', 'SIP/2.0/UDP a\nX-Four: 4');
  request.headers.replaceFirst('Via', 'SIP/2.0/UDP b\rX-Five: 5');
  request.headers.add('To', `<sip:b@x>;name=${quote('a\u2028b\u0085c\0d')}`);
  const lines = serialise(request).toString().split('\r\n');
  expect(lines.filter((line) => line.startsWith('X-'))).toEqual([]);
  expect(lines.filter((line) => /[\r\n\0]/.test(line))).toEqual([]);
  expect(() => request.headers.add('X-Bad\r\nX-Six', '1')).toThrow(TypeError);
  expect(new SipResponse(480, 'No\r\nX: 1').reason).toBe('No X: 1');
});

test('quotes and backslashes in a display name survive', () => {
  const name = 'say "hi" \\ bye, <now>; ok';
  expect(
    parseNameAddress(formatNameAddress({ displayName: name, uri: 'sip:a@b', parameters: new Map() })).displayName,
  ).toBe(name);
});

test('credentials keep commas in quotes, and qop is a bare word in an answer', () => {
  const text = 'Digest username="a, \\"b\\"", realm="r", qop=auth, nc=00000001, uri="sip:x"';
  const credentials = parseCredentials(text);
  expect(credentials.parameters.get('username')).toBe('a, "b"');
  expect(formatCredentials(credentials, 'credentials')).toContain('qop=auth, nc=00000001');
  const challenge = {
    scheme: 'digest',
    parameters: new Map([
      ['qop', 'auth'],
      ['stale', 'true'],
    ]),
  };
  expect(formatCredentials(challenge, 'challenge')).toBe('Digest qop="auth", stale=true');
  expect(() => parseCredentials('Digest realm="a", realm="b"')).toThrow();
});

test('header lists: any spelling, order kept, replacing and removing', () => {
  const headers = new HeaderList();
  headers.add('v', 'one, two');
  headers.add('X-Thing', '1');
  headers.prepend('Via', 'zero');
  expect(headers.all('VIA')).toEqual(['zero', 'one', 'two']);
  headers.replaceFirst('via', null);
  expect(headers.all('Via')).toEqual(['one', 'two']);
  headers.set('x-thing', '2');
  expect([...headers].at(-1)).toEqual(['x-thing', '2']);
  headers.remove('v');
  expect(headers.has('Via')).toBe(false);
});

test('a response copies what identifies the request, and adds its tag once', () => {
  const busy = responseTo(parsedInvite(), 486, undefined, 'tag9');
  expect(serialise(busy).toString().split('\r\n').slice(0, 6)).toEqual([
    'SIP/2.0 486 Busy Here',
    'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKabc;rport',
    'From: "Alice" <sip:alice@example.com>;tag=a1',
    'To: <sip:+442012345678@sbc.example.com>;tag=tag9',
    'Call-ID: c1@192.0.2.1',
    'CSeq: 1 INVITE',
  ]);
});

test('CANCEL and the ACK of a failure belong to the hop: one Via, the Route copied (trap 9 of the list)', () => {
  const request = parsedInvite();
  request.headers.add('Route', '<sip:edge.example.com;lr>');
  request.headers.add('Via', 'SIP/2.0/UDP earlier.example.com;branch=z9hG4bKold');
  const response = parseMessage(ringing);
  if (response.isRequest) throw new Error('a request');
  for (const built of [cancelOf(request), ackOfFailure(request, response)]) {
    expect(built.uri).toBe(request.uri);
    expect(built.headers.all('Via')).toEqual(['SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKabc;rport']);
    expect(built.headers.all('Route')).toEqual(['<sip:edge.example.com;lr>']);
    expect(built.cseq).toEqual({ number: 1, method: built.method });
    expect(built.headers.has('Content-Type')).toBe(false);
  }
  expect([cancelOf(request).toTag, ackOfFailure(request, response).toTag]).toEqual(['', 'b1']);
});

test('multipart bodies that are damaged are refused', () => {
  const request = parsedInvite();
  request.setBody('multipart/mixed', Buffer.from('x'));
  expect(() => bodyParts(request)).toThrow('boundary');
  request.setBody('multipart/mixed;boundary=b', Buffer.from('--b\r\n\r\nx'));
  expect(() => bodyParts(request)).toThrow('Unterminated');
  request.body = Buffer.from(`${'--b\r\n\r\nx\r\n'.repeat(30)}--b--`);
  expect(() => bodyParts(request)).toThrow('Too many');
});
