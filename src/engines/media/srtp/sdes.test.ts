/** Keys in descriptions: which lines are taken, what an answer may say, and that a key stays while nothing changes. */
import { expect, test } from 'vitest';
import { formatCryptoLine, readCryptoLine } from './crypto-line.ts';
import { EncryptionRefused } from './encryption-refused.ts';
import { newMasterKey, type ProfileName, profiles } from './profiles.ts';
import { Sdes } from './sdes.ts';

const key = 'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz';
const line = (rest: string, { tag = '1', suite = 'AES_CM_128_HMAC_SHA1_80' } = {}) =>
  `a=crypto:${tag} ${suite} ${rest}`;

test.each([
  ['as in RFC 4568', line(`inline:${key}|2^20`)],
  ['a lifetime in digits', line(`inline:${key}|1048576`)],
  ['without lifetime', line(`inline:${key}`)],
  ['more spaces and one at the end', line(` inline:${key} `)],
  ['a hint about the window', line(`inline:${key} WSH=128`)],
  ['a parameter that may be ignored', line(`inline:${key} -FUTURE=1`)],
])('is taken: %s', (_, text) => {
  const found = readCryptoLine(text);
  expect(found).toMatchObject({ tag: 1, master: { profile: 'AES_CM_128_HMAC_SHA1_80' } });
  expect(found?.master.key).toHaveLength(16);
  expect(found?.master.salt).toHaveLength(14);
});

test.each([
  ['another cipher', line(`inline:${key}`, { suite: 'F8_128_HMAC_SHA1_80' })],
  ['a name of every object', line(`inline:${key}`, { suite: 'constructor' })],
  ['several keys with numbers', line(`inline:${key}|2^20|1:4`)],
  ['two keys', line(`inline:${key};inline:${key}`)],
  ['a key that is too short', line(`inline:${key.slice(4)}`)],
  ['a key that is too long', line(`inline:${key}AAAA`)],
  ['a key for another cipher', line(`inline:${key}`, { suite: 'AES_256_CM_HMAC_SHA1_80' })],
  ['a lifetime that is soon over', line(`inline:${key}|2^10`)],
  ['packets that are not encrypted', line(`inline:${key} UNENCRYPTED_SRTP`)],
  ['packets that are not authenticated', line(`inline:${key} WSH=64 UNAUTHENTICATED_SRTP`)],
  ['a rate of key derivation', line(`inline:${key} KDR=1`)],
  ['no tag', `a=crypto: AES_CM_128_HMAC_SHA1_80 inline:${key}`],
  ['a tag of twenty digits', line(`inline:${key}`, { tag: '1'.repeat(20) })],
  ['another method', line(`uri:https://example.com/key`)],
  ['nothing', 'a=crypto:'],
  ['a hundred thousand letters', line(`inline:${'A'.repeat(100_000)}`)],
])('is left out: %s', (_, text) => {
  expect(readCryptoLine(text)).toBeNull();
});

test.each(Object.keys(profiles) as ProfileName[])('what is written can be read: %s', (profile) => {
  const written = { tag: 7, master: newMasterKey(profile) };
  expect(readCryptoLine(formatCryptoLine(written))).toEqual(written);
});

/** Two parties, one of which offers to the other. */
function agree(offerer: Sdes, answerer: Sdes) {
  answerer.offeredBy(offerer.offer());
  const theirs = answerer.answer();
  const ours = offerer.answered(answerer.answerLines());
  expect(ours.sending).toEqual(theirs.receiving);
  expect(ours.receiving).toEqual(theirs.sending);
  return ours;
}

test('each side sends with its own key, and another call has other keys', () => {
  const pair = agree(new Sdes(), new Sdes());
  expect(pair.sending.profile).toBe('AES_CM_128_HMAC_SHA1_80');
  expect(pair.sending).not.toEqual(pair.receiving);
  expect(agree(new Sdes(), new Sdes()).sending).not.toEqual(pair.sending);
});

test('offers again, from either side, change no key', () => {
  const [one, other] = [new Sdes(), new Sdes()];
  const pair = agree(one, other);
  expect(agree(one, other)).toEqual(pair);
  expect(agree(other, one)).toEqual({ sending: pair.receiving, receiving: pair.sending });
  expect(agree(one, other)).toEqual(pair);
});

test('an offer that is not answered changes nothing', () => {
  const [one, other] = [new Sdes(), new Sdes()];
  const pair = agree(one, other);
  one.offeredBy(new Sdes().offer());
  expect(agree(one, other)).toEqual(pair);
});

test('a party with a new key gets one as well, because it may be another party', () => {
  const one = new Sdes();
  const pair = agree(new Sdes(), one);
  expect(agree(new Sdes(), one).receiving).not.toEqual(pair.receiving);
});

test('the first line that can be used is taken, with its tag', () => {
  const strong = newMasterKey('AEAD_AES_256_GCM');
  const sdes = new Sdes();
  const offer = [line(`inline:${key}|2^31|1:1`), formatCryptoLine({ tag: 42, master: strong }), line(`inline:${key}`)];
  sdes.offeredBy(['a=rtpmap:0 PCMU/8000', ...offer]);
  expect(sdes.answer().receiving).toEqual(strong);
  expect(sdes.answerLines()[0]).toMatch(/^a=crypto:42 AEAD_AES_256_GCM inline:/);
});

test.each([
  ['no key', ['a=sendrecv']],
  ['a tag that was not offered', [line(`inline:${key}`, { tag: '9' })]],
  ['another cipher than that of the tag', [line(`inline:${key}`, { suite: 'AES_CM_128_HMAC_SHA1_32' })]],
  ['two keys', [line(`inline:${key}`), line(`inline:${key}`, { tag: '2' })]],
])('an answer is refused that has %s', (_, lines) => {
  const sdes = new Sdes();
  sdes.offer();
  expect(() => sdes.answered(lines)).toThrow(EncryptionRefused);
});

test('an offer is refused that has no key we can use, however many it has', () => {
  expect(() => new Sdes().offeredBy([])).toThrow('The offer names no key that can be used');
  const many = Array.from({ length: 5_000 }, () => line(`inline:${key} KDR=1`));
  expect(() => new Sdes().offeredBy([...many, line(`inline:${key}`)])).toThrow(EncryptionRefused);
});
