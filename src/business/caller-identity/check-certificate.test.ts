/** What an operator may load to sign calls, and the one sentence for everything else. */
import { expect, test } from 'vitest';
import { testAuthority } from '../../engines/stir/test-authority.fixture.ts';
import { checkCertificate, checkedUrl } from './check-certificate.ts';

const root = testAuthority();
const between = root.issue({ name: 'Between', authority: true, numbers: null });
const signer = between.issue({ name: 'Operator', until: '2026-09-01T00:00:00Z' });
const now = new Date('2026-06-15T12:00:00Z');
const check = (chain: string, privateKey: string, authorities: readonly string[] = []) =>
  checkCertificate({ chain, privateKey }, { now, authorities });

test('a chain with its key: who signs, from when until when; only certificates are kept as the chain', () => {
  const whole = `Bag Attributes\n${signer.keyPem}${signer.chain}`;
  const checked = check(whole, whole);
  expect(checked).toMatchObject({ signer: 'Operator', from: new Date('2026-01-01'), until: new Date('2026-09-01') });
  expect(checked.chain).not.toContain('PRIVATE');
  expect(checked.chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(check(signer.chain, signer.keyPem, [root.pem]).signer).toBe('Operator');
});

test('a key in the form that openssl ecparam writes', () => {
  const made = signer.key.export({ format: 'pem', type: 'sec1' });
  const withCurve = `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${made}`;
  expect(made).toContain('BEGIN EC PRIVATE KEY');
  expect(check(signer.chain, withCurve).privateKey).toBe(signer.keyPem);
});

const without = between.issue({ name: 'Without list', numbers: null });
const ended = between.issue({ name: 'Ended', until: '2026-05-01T00:00:00Z' });
const below = root.issue({ name: 'Old', authority: true, numbers: null, until: '2026-05-02T00:00:00Z' });
const belowEnded = below.issue({ name: 'Under an ended one' });
const otherCurve = between.issue({ name: 'Other curve', curve: 'P-384' });
const locked = signer.keyPem.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE');

test.each<[string, string, string, string]>([
  ['no certificate', '', signer.keyPem, 'The chain cannot be used: there is no certificate in PEM form.'],
  ['no key', signer.chain, '', 'The private key is missing'],
  ['a certificate as the key', signer.chain, signer.pem, 'The private key is missing'],
  ['a key with a passphrase', signer.chain, locked, 'The private key is protected with a passphrase'],
  ['a damaged key', signer.chain, signer.keyPem.replace(/\n\w{9}/, '\nAAAAAAAAA'), 'The private key is not readable.'],
  ['the key of another', signer.chain, between.keyPem, 'The private key does not fit the first certificate'],
  ['another curve', otherCurve.chain, otherCurve.keyPem, 'not of the curve P-256'],
  ['no list of numbers', without.chain, without.keyPem, 'no list of numbers (TNAuthList)'],
  ['ended', ended.chain, ended.keyPem, 'has ended on 2026-05-01'],
  ['an authority between has ended', belowEnded.chain, belowEnded.keyPem, 'has ended on 2026-05-02'],
  ['alone', signer.pem, signer.keyPem, 'The chain is incomplete: it has the certificate of the signer alone.'],
  ['a gap', `${signer.pem}${root.pem}`, signer.keyPem, 'The chain is incomplete: no certificate in it has issued'],
])('%s: refused', (_, chain, key, words) => {
  expect(() => check(chain, key)).toThrow(words);
});

test('where authorities are named the chain has to lead to one of them', () => {
  expect(() => check(signer.pem, signer.keyPem, [root.pem])).toThrow(
    'The chain is incomplete: it does not lead to one',
  );
  expect(() => check(signer.chain, signer.keyPem, [testAuthority().pem])).toThrow('TRUNKLINE_STIR_AUTHORITIES');
  const direct = root.issue({ name: 'Direct' });
  expect(check(direct.pem, direct.keyPem, [root.pem]).signer).toBe('Direct');
});

test('where the chain is fetched: https, and nothing that verifiers refuse', () => {
  expect(checkedUrl('https://certs.example.net/a.pem')).toBe('https://certs.example.net/a.pem');
  for (const url of ['http://a.test/a.pem', 'https://u:p@a.test/', 'https://a.test/?x=1', 'https://a.test/#x', 'a']) {
    expect(() => checkedUrl(url)).toThrow('is not an https address');
  }
});
