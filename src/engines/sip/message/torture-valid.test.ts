/**
 * Odd but valid messages, one or more for each section of RFC 4475 3.1.1 and 3.3 in our own words: each must be
 * understood.
 */
import { expect, test } from 'vitest';
import { checkMessage } from './check.ts';
import type { SipRequest } from './message.ts';
import { bodyPart, bodyParts } from './multipart.ts';
import { parseNameAddress } from './name-address.ts';
import { parameter } from './parameters.ts';
import { parseMessage } from './parse.ts';
import { inviteWith, offer, wire } from './samples.fixture.ts';
import { decodeEscapes, parseSipUriOnly } from './uri.ts';

function request(bytes: Buffer): SipRequest {
  const message = parseMessage(bytes);
  expect(checkMessage(message)).toBeNull();
  if (!message.isRequest) throw new Error('a response');
  return message;
}

test('3.1.1.1 whitespace, folded lines, compact names and mixed capitals wherever the grammar allows them', () => {
  const invite = request(
    wire(`
INVITE sip:desk@office.example;flag SIP/2.0
T :
  <sip:desk@office.example> ;  tag  =  remote-7
fRoM  :  "Back \\\\ slash \\" quote"
\t<sip:front@office.example>
  ; tag = local-3
max-FORWARDS: 0000070
i: spread-out@192.0.2.40
CsEq: 0042
   INVITE
v  :  SIP /  2.0
  /  TCP
  gate.office.example  :  5080  ; branch = z9hG4bKone
Via: SIP/2.0/UDP 192.0.2.40;branch=z9hG4bKtwo ,
  SIP / 2.0 / UDP 192.0.2.41 ; branch=z9hG4bKthree
k: 100rel
 , timer
s :
X-Note: first half
  second half
M: "a \\"name\\"" <sip:front@192.0.2.40> ; q = 0.5 ; alone`),
  );
  expect([invite.toTag, invite.fromTag]).toEqual(['remote-7', 'local-3']);
  expect(invite.from.displayName).toBe('Back \\ slash " quote');
  expect(invite.cseq).toEqual({ number: 42, method: 'INVITE' });
  expect(invite.via).toMatchObject({ transport: 'TCP', host: 'gate.office.example', port: 5080 });
  expect(invite.headers.all('Via')).toHaveLength(3);
  expect(invite.headers.all('Supported')).toEqual(['100rel', 'timer']);
  expect(invite.headers.first('Subject')).toBe('');
  expect(invite.headers.first('x-note')).toBe('first half second half');
  const contact = parseNameAddress(invite.headers.first('Contact') ?? '');
  expect(contact.displayName).toBe('a "name"');
  expect([parameter(contact.parameters, 'q'), contact.parameters.get('alone')]).toEqual(['0.5', null]);
});

test('3.1.1.2 every character that a token, a user, a password and a name may have', () => {
  const method = "A-z.0!9%*_+`'~";
  const user = "u-_.!~*'()&=+$,;?/9";
  const password = "p-_.!~*'()&=+$,9";
  const odd = request(
    wire(`
${method} sip:${user}:${password}@office.example SIP/2.0
Via: SIP/2.0/UDP gate.office.example;branch=z9hG4bK${method}
To: "имя 名前 \\\u0007" <sip:desk@office.example>
From: two words <sip:front@office.example>;x${method}="«»";tag=${method}
Call-ID: odd()<>:\\/"[]?{}@host
CSeq: 7 ${method}
X-${method}: 名前`),
  );
  expect(odd.method).toBe(method);
  expect(parseSipUriOnly(odd.uri)).toMatchObject({ user, password, host: 'office.example' });
  expect([odd.from.displayName, odd.fromTag]).toEqual(['two words', method]);
  expect(odd.to.displayName).toContain('имя 名前');
  expect(odd.headers.first(`x-${method}`)).toBe('名前');
});

test('3.1.1.3 an escaped separator is no separator', () => {
  const uri = parseSipUriOnly(request(inviteWith({ start: 'INVITE sip:a%40b%3Ac%3Bd@office.example SIP/2.0' })).uri);
  expect([decodeEscapes(uri.user ?? ''), uri.host]).toEqual(['a@b:c;d', 'office.example']);
});

test('3.1.1.4 an escaped NUL belongs to the user', () => {
  const invite = request(inviteWith({ Contact: 'Contact: <sip:a%00b@office.example>, <sip:%00@office.example>' }));
  expect(invite.headers.all('Contact')).toHaveLength(2);
});

test('3.1.1.5 a percent sign in a method, a branch or a name is no escape', () => {
  const changes = { start: 'IN%56 sip:a@office.example SIP/2.0', CSeq: 'CSeq: 1 IN%56', To: 'To: "50%zz" <sip:a@x>' };
  const message = request(inviteWith(changes));
  expect([message.method, message.to.displayName]).toEqual(['IN%56', '50%zz']);
});

test('3.1.1.6 no space between a name and its bracket', () => {
  expect(request(inviteWith({ From: 'From: desk<sip:desk@office.example>;tag=6' })).from.displayName).toBe('desk');
});

test('3.1.1.7 long values within the limits', () => {
  const long = 'long'.repeat(220);
  const invite = request(inviteWith({ From: `From: "${long}" <sip:${long}@office.example>;tag=${long};p=${long}` }));
  expect([invite.fromTag, invite.from.displayName]).toEqual([long, long]);
});

test('3.1.1.8 bytes after the stated length belong to no message', () => {
  const bytes = Buffer.concat([inviteWith({}), Buffer.from('BYE sip:other@office.example SIP/2.0\r\n\r\n')]);
  expect(request(bytes).body.toString()).toBe(offer);
});

test('3.1.1.9 semicolons in the user and after the host', () => {
  const start = 'INVITE sip:desk;phone-context=%2B44@office.example;transport=tcp SIP/2.0';
  const uri = parseSipUriOnly(request(inviteWith({ start })).uri);
  expect([uri.user, uri.parameters.get('transport')]).toEqual(['desk;phone-context=%2B44', 'tcp']);
});

test('3.1.1.10 Via of any transport, known or not', () => {
  const via = 'Via: SIP/2.0/PIGEON 192.0.2.9:5090;branch=z9hG4bK1, SIP/2.0/SCTP b.example;branch=z9hG4bK2';
  const invite = request(inviteWith({ Via: via }));
  expect(invite.via).toMatchObject({ transport: 'PIGEON', port: 5090 });
  expect(invite.headers.all('Via')).toHaveLength(2);
});

test('3.1.1.11 a body of several parts, one of them binary, is kept and can be read', () => {
  const body = Buffer.concat([
    Buffer.from(
      'preamble\r\n--cut here\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n\r\n--cut here\r\nC: image/x\r\n',
    ),
    Buffer.from('X-Other: 1\r\n\r\n'),
    Buffer.from([0, 255, 13, 10, 13, 10, 128]),
    Buffer.from('\r\n--cut here\r\n\r\nplain\r\n--cut here--\r\nepilogue'),
  ]);
  const message = request(inviteWith({ 'Content-Type': 'Content-Type: multipart/mixed ; boundary="cut here"' }));
  message.body = body;
  expect(bodyParts(message).map((part) => part.contentType)).toEqual(['application/sdp', 'image/x', 'text/plain']);
  expect(bodyParts(message)[1]?.body).toEqual(Buffer.from([0, 255, 13, 10, 13, 10, 128]));
  expect(bodyPart(message, 'application/sdp')?.body.toString()).toBe('v=0\r\n');
  expect(bodyParts(message)[2]?.body.toString()).toBe('plain');
});

test('3.1.1.12 and .13 a response with an unusual, empty or absent reason', () => {
  const rest =
    'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1\nFrom: <sip:a@x>;tag=1\nTo: <sip:b@x>\nCall-ID: 1\nCSeq: 1 BYE';
  const seen = ['SIP/2.0 200 všechno = 100 %', 'SIP/2.0 183 ', 'sip/2.0 404'].map((line) => {
    const response = parseMessage(wire(`${line}\n${rest}`));
    expect(checkMessage(response)).toBeNull();
    return !response.isRequest && [response.status, response.reason];
  });
  expect(seen).toEqual([
    [200, 'všechno = 100 %'],
    [183, ''],
    [404, ''],
  ]);
});

test('3.3 unknown schemes in From and To, unknown headers and parameters do no harm (trap 23)', () => {
  const changes = { To: 'To: urn:service:sos', From: 'From: <mailto:desk@office.example>;tag=5' };
  const invite = request(inviteWith(changes, ['X-Carrier: <<"not balanced', 'P-Vector: a=1;;']));
  expect(invite.to.uri).toBe('urn:service:sos');
  expect(invite.headers.first('x-carrier')).toBe('<<"not balanced');
});

test('values of a list stand in one line or in several; commas in quotes and brackets do not separate', () => {
  const invite = request(inviteWith({}, ['Route: <sip:a;lr>, <sip:b;lr>', 'Route: "c, d" <sip:c,d@x;lr>']));
  expect(invite.headers.all('Route')).toEqual(['<sip:a;lr>', '<sip:b;lr>', '"c, d" <sip:c,d@x;lr>']);
});

test('bare line feeds, leading empty lines and a missing last empty line are accepted', () => {
  const bare = inviteWith({})
    .toString()
    .replace(/\r\n/g, '\n')
    .replace(/Content-Length.*\n/, '');
  expect(request(Buffer.from(bare)).body.toString()).toBe(offer.replace(/\r\n/g, '\n'));
  expect(request(Buffer.concat([Buffer.from('\r\n\r\n'), inviteWith({})])).body.toString()).toBe(offer);
  const options = wire(`
OPTIONS sip:b@x SIP/2.0
Via: SIP/2.0/UDP h;branch=z9hG4bK1
From: <sip:a@x>;tag=1
To: <sip:b@x>
Call-ID: 1
CSeq: 1 OPTIONS`);
  expect(request(options.subarray(0, options.length - 2)).method).toBe('OPTIONS');
});

test('bytes that are no UTF-8 do not prevent reading a header', () => {
  const bytes = inviteWith({ From: 'From: "Jos?" <sip:a@x>;tag=1' });
  bytes[bytes.indexOf('Jos?') + 3] = 0xe9;
  expect(request(bytes).fromTag).toBe('1');
});

test('IPv6 hosts in URI, Via and Contact, with and without port (RFC 5118)', () => {
  const invite = request(
    inviteWith({
      start: 'INVITE sip:desk@[2001:db8::44]:5090;transport=tcp SIP/2.0',
      Via: 'Via: SIP/2.0/UDP [2001:db8::7];received=[2001:db8::8];branch=z9hG4bK6',
      Contact: 'Contact: <sip:desk@[::ffff:192.0.2.10]>',
    }),
  );
  expect(parseSipUriOnly(invite.uri)).toMatchObject({ host: '[2001:db8::44]', port: 5090 });
  expect(invite.via).toMatchObject({ host: '[2001:db8::7]', port: null });
  expect(invite.via.parameters.get('received')).toBe('[2001:db8::8]');
});
