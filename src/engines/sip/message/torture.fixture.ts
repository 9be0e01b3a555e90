/**
 * Invalid messages, one or more for each section of RFC 4475 3.1.2 in our own words, with the status of their refusal.
 */
import { inviteWith, wire } from './samples.fixture.ts';

/** 'unreadable' is what cannot be parsed: it has no response. */
export const invalidMessages: [section: string, bytes: Buffer, verdict: number | 'unreadable'][] = [
  ['3.1.2.1 a Via without a value', inviteWith({ Via: 'Via: ,;,;' }), 400],
  ['3.1.2.1 a Contact without an address', inviteWith({ Contact: 'Contact: "" <>' }), 400],
  ['3.1.2.2 a Content-Length beyond the datagram', inviteWith({}, ['Content-Length: 7000']), 400],
  ['3.1.2.3 a negative Content-Length', inviteWith({}, ['Content-Length: -12']), 400],
  ['3.1.2.4 a CSeq number beyond 32 bits', inviteWith({ CSeq: 'CSeq: 99999999999999999999 INVITE' }), 400],
  ['3.1.2.4 a Max-Forwards beyond 255', inviteWith({ 'Max-Forwards': 'Max-Forwards: 300' }), 400],
  [
    '3.1.2.5 a status that is no three digits',
    wire(
      'SIP/2.0 20000 far too large\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\nFrom: <sip:a@x>;tag=1\nTo: <sip:b@x>\nCall-ID: 1\nCSeq: 1 INVITE',
    ),
    'unreadable',
  ],
  ['3.1.2.6 a quote that never ends', inviteWith({ To: 'To: "Front desk <sip:desk@office.example>' }), 400],
  [
    '3.1.2.6 a backslash before the closing quote',
    inviteWith({ To: 'To: "Front desk\\" <sip:desk@office.example>' }),
    400,
  ],
  ['3.1.2.6 a quote inside an unquoted name', inviteWith({ To: 'To: Front "desk <sip:desk@office.example>' }), 400],
  [
    '3.1.2.7 angle brackets around the Request-URI',
    inviteWith({ start: 'INVITE <sip:desk@office.example> SIP/2.0' }),
    400,
  ],
  ['3.1.2.8 whitespace in the Request-URI', inviteWith({ start: 'INVITE sip:desk@office.example; lr SIP/2.0' }), 400],
  [
    '3.1.2.9 several spaces in the request line',
    inviteWith({ start: 'INVITE  sip:desk@office.example  SIP/2.0' }),
    400,
  ],
  ['3.1.2.10 text after the version', inviteWith({ start: 'INVITE sip:desk@office.example SIP/2.0 x' }), 'unreadable'],
  [
    '3.1.2.11 a URI with headers and no brackets',
    inviteWith({ Contact: 'Contact: sip:desk@office.example?Subject=hello' }),
    400,
  ],
  ['3.1.2.12 a name-addr without a closing bracket', inviteWith({ To: 'To: <sip:desk@office.example;tag=1' }), 400],
  ['3.1.2.14 a bare URI with a comma', inviteWith({ From: 'From: sip:a,b@example.com;tag=1' }), 400],
  ['3.1.2.16 an unknown version', inviteWith({ start: 'INVITE sip:desk@office.example SIP/3.1' }), 505],
  ['3.1.2.17 CSeq names another method', inviteWith({ CSeq: 'CSeq: 8 OPTIONS' }), 400],
  ['3.1.2.19 a response of another version', wire('SIP/3.1 200 OK\nVia: SIP/2.0/UDP a\nCSeq: 1 INVITE'), 'unreadable'],
  ['3.3.1 no required headers at all', wire('INVITE sip:desk@office.example SIP/2.0'), 400],
  ['3.3.1 no Call-ID', inviteWith({ 'Call-ID': null }), 400],
  ['3.3.1 no CSeq', inviteWith({ CSeq: null }), 400],
  ['3.3.1 no Via', inviteWith({ Via: null }), 400],
  ['3.3.2 an unknown scheme', inviteWith({ start: 'INVITE carrierpigeon:grey,third-from-left SIP/2.0' }), 416],
  ['3.3.8 repeated single headers', inviteWith({}, ['CSeq: 2 INVITE']), 400],
  ['3.3.8 repeated Content-Length', inviteWith({}, ['Content-Length: 5', 'l: 6']), 400],
  ['a host that is none', inviteWith({ start: 'INVITE sip:user@exa_mple..com:99999 SIP/2.0' }), 400],
  ['two @ in a URI', inviteWith({ start: 'INVITE sip:user@good.example@evil.example SIP/2.0' }), 400],
  ['a bad percent escape (trap 9)', inviteWith({ start: 'INVITE sip:us%zzer@example.com SIP/2.0' }), 400],
  ['a cut percent escape', inviteWith({ start: 'INVITE sip:user%4@example.com SIP/2.0' }), 400],
  ['a control character in a branch', inviteWith({ Via: 'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG\x02;rport' }), 400],
  ['no scheme', inviteWith({ start: 'INVITE desk@office.example SIP/2.0' }), 400],
  ['an endless Request-URI', inviteWith({ start: `INVITE sip:${'a'.repeat(3000)}@example.com SIP/2.0` }), 414],
  [
    'a method with a slash',
    inviteWith({ start: 'INV/ITE sip:desk@office.example SIP/2.0', CSeq: 'CSeq: 1 INVITE' }),
    400,
  ],
  ['whitespace inside Call-ID', inviteWith({ 'Call-ID': 'Call-ID: a b' }), 400],
  ['a header line without a colon', inviteWith({}, ['this is no header']), 400],
  ['a bare carriage return inside a header', inviteWith({}, ['Subject: a\rX-Injected: b']), 400],
  ['a NUL inside a header', inviteWith({}, ['Subject: a\0b']), 400],
  ['a NUL inside From', inviteWith({ From: 'From: "a\0b" <sip:a@x>;tag=1' }), 400],
  ['a NUL inside To', inviteWith({ To: 'To: <sip:a\0b@x>' }), 400],
  [
    'too many headers',
    inviteWith(
      {},
      Array.from({ length: 300 }, (_, index) => `X-${index}: 1`),
    ),
    'unreadable',
  ],
  [
    'too many parameters',
    inviteWith({ To: `To: <sip:a@x>${Array.from({ length: 90 }, (_, index) => `;p${index}`).join('')}` }),
    400,
  ],
  [
    'too many Via values',
    inviteWith({ Via: `Via: ${Array.from({ length: 90 }, () => 'SIP/2.0/UDP a').join(', ')}` }),
    400,
  ],
  ['headers beyond the limit', inviteWith({}, [`Subject: ${'x'.repeat(40_000)}`]), 'unreadable'],
  ['a message beyond the limit', Buffer.concat([inviteWith({}), Buffer.alloc(70_000)]), 'unreadable'],
  ['HTTP', wire('GET / HTTP/1.1\nHost: example.com'), 'unreadable'],
  ['nothing', Buffer.alloc(0), 'unreadable'],
  ['zeros', Buffer.alloc(500), 'unreadable'],
];
