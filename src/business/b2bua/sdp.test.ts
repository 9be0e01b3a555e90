/** What is read from session descriptions: encryption, addresses, codecs. */
import { expect, test } from 'vitest';
import { addressRefusal, encryptionRefusal, type MediaEncryption } from './sdp.ts';

const isEncryptedAs = (body: Buffer, mode: MediaEncryption): boolean => encryptionRefusal(body, mode) === null;

const described = (protocol: string, lines: readonly string[] = [], session: readonly string[] = []): Buffer =>
  Buffer.from(['v=0', 'c=IN IP4 192.0.2.1', ...session, `m=audio 4000 ${protocol} 0`, ...lines, ''].join('\r\n'));

const fingerprint = 'a=fingerprint:sha-256 00:11';
const descriptions: Readonly<Record<MediaEncryption, Buffer>> = {
  disabled: described('RTP/AVP'),
  srtp_sdes: described('RTP/SAVP', ['a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:secret']),
  srtp_dtls: described('UDP/TLS/RTP/SAVPF', [fingerprint]),
  zrtp: described('RTP/AVP', ['a=zrtp-hash:1.10 0123']),
};
const modes: readonly MediaEncryption[] = ['disabled', 'srtp_sdes', 'srtp_dtls', 'zrtp'];

test.each(modes)('a trunk with media_encryption_mode %s takes media that are encrypted so, and no others', (mode) => {
  const taken = modes.filter((kind) => isEncryptedAs(descriptions[kind], mode));
  // What may be encrypted by ZRTP is plain for those who do not know it.
  expect(taken).toEqual(mode === 'disabled' ? ['disabled', 'zrtp'] : [mode]);
});

test('a fingerprint for the whole session counts; SRTP without a key, and one plain medium of two, do not', () => {
  expect(isEncryptedAs(described('UDP/TLS/RTP/SAVP', [], [fingerprint]), 'srtp_dtls')).toBe(true);
  expect(isEncryptedAs(described('RTP/SAVP'), 'srtp_sdes')).toBe(false);
  const mixed = Buffer.concat([descriptions.srtp_sdes, Buffer.from('m=audio 4002 RTP/AVP 0\r\n')]);
  expect(modes.filter((mode) => isEncryptedAs(mixed, mode))).toEqual([]);
});

test('the addresses of media: of the medium, else of the session; media that are refused have none', () => {
  const lines = ['c=IN IP6 2001:db8::7', 'm=video 0 RTP/AVP 96', 'c=IN IP4 198.51.100.1', 'm=audio 4004 RTP/AVP 0'];
  const refusal = (...listed: string[]) =>
    addressRefusal(described('RTP/AVP', lines), (address) => listed.includes(address));
  expect(refusal('2001:db8::7', '192.0.2.1')).toBeNull();
  expect(refusal('192.0.2.1')).toBe('Media address 2001:db8::7 is not allowed');
  expect(refusal('2001:db8::7')).toBe('Media address 192.0.2.1 is not allowed');
});

test('a refusal says what was demanded and what came', () => {
  expect(encryptionRefusal(descriptions.disabled, 'srtp_sdes')).toBe(
    'Media encryption differs: srtp_sdes is demanded, disabled came',
  );
});
