/** Secrets and personal data are blanked before a message is kept. */
import { expect, test } from 'vitest';
import { blankSecrets } from './blank-secrets.ts';

const message = (headers: string[], body = ''): string => ['INVITE sip:1@h SIP/2.0', ...headers, '', body].join('\r\n');

test.each([
  [
    'Authorization: Digest username="u", realm="r", nonce="n", response="deadbeef", cnonce="c"',
    'deadbeef',
    'nonce="n"',
  ],
  ['Proxy-Authorization: Digest response = deadbeef, username="u"', 'deadbeef', 'username="u"'],
  ['authorization : digest username="u",\r\n response="deadbeef"', 'deadbeef', 'username="u"'],
  ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz', 'Basic'],
  ['Contact: <sip:bob:hidden@192.0.2.1>', 'hidden', 'sip:bob:'],
  ['Authorization: Digest response="deadbeef', 'deadbeef', 'Digest'],
])('%s', (header, secret, kept) => {
  const blanked = blankSecrets(message([header, 'Call-ID: x']));
  expect(blanked).not.toContain(secret);
  expect(blanked).toContain(kept);
  expect(blanked).toContain('Call-ID: x');
});

test('a secret in the request line is removed as well', () => {
  expect(blankSecrets('INVITE sip:bob:hidden@h SIP/2.0\r\n\r\n')).toBe('INVITE sip:bob:[blanked]@h SIP/2.0\r\n\r\n');
});

test('keys in SDP are overwritten at their own length', () => {
  const body =
    'v=0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0|2^20\r\na=ice-pwd:hush\r\nk=base64:abc\r\nm=audio 4000 RTP/SAVP 8\r\n';
  const blanked = blankSecrets(message(['Content-Type: application/sdp'], body));
  expect(blanked).toContain('inline:xxxxxxxx|2^20');
  expect(blanked).not.toMatch(/c2VjcmV0|hush|base64:abc/);
  expect(blanked).toContain('m=audio 4000 RTP/SAVP 8');
  expect(blanked.length).toBe(message(['Content-Type: application/sdp'], body).length);
});

test('dialled digits and addresses of emergency callers are not kept', () => {
  expect(blankSecrets(message(['Content-Type: application/dtmf-relay'], 'Signal=5\r\n'))).not.toContain('Signal=5');
  const parts = [
    '--b',
    'Content-Type: application/sdp',
    '',
    'v=0',
    '--b',
    'Content-Type: application/pidf+xml',
    '',
    '<A6>Elm Street</A6>',
    '--b--',
    '',
  ].join('\r\n');
  const blanked = blankSecrets(message(['Content-Type: multipart/mixed;boundary=b'], parts));
  expect(blanked).toContain('v=0');
  expect(blanked).toContain('application/pidf+xml');
  expect(blanked).not.toContain('Elm Street');
});

test('text that is no message stays text', () => {
  expect(blankSecrets('')).toBe('');
  expect(blankSecrets('nonsense')).toBe('nonsense');
});
