/** Certificates of signers: the way to an authority, lists of numbers, keys, and what is no certificate. */
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { serverCertificate } from '../sip/transport/certificates.fixture.ts';
import { readSigningChain } from './signing-chain.ts';
import { testAuthority } from './test-authority.fixture.ts';

const root = testAuthority();
const authorities = [new X509Certificate(root.pem)];
const read = (pem: string) => readSigningChain(pem, authorities);

test('a chain is valid when all of it is', () => {
  const between = root.issue({
    ...{ name: 'Between', authority: true, numbers: null },
    ...{ from: '2026-02-01T00:00:00Z', until: '2026-09-01T00:00:00Z' },
  });
  const chain = read(between.issue({ name: 'Signer', from: '2026-03-01T00:00:00Z' }).chain);
  expect(chain.signer).toBe('Signer');
  expect([chain.from.toJSON(), chain.until.toJSON()]).toEqual(['2026-03-01T00:00:00.000Z', '2026-09-01T00:00:00.000Z']);
});

test('the authority may be sent along, and certificates in any order after the first', () => {
  const one = root.issue({ name: 'One', authority: true, numbers: null });
  const two = one.issue({ name: 'Two', authority: true, numbers: null });
  const signer = two.issue({ name: 'Signer' });
  expect(read(`${signer.pem}${root.pem}${one.pem}${two.pem}`).signer).toBe('Signer');
  expect(() => read(`${signer.pem}${one.pem}`)).toThrow('no known authority');
});

test('an authority with a list passes on no other numbers', () => {
  const limited = root.issue({ name: 'Limited', authority: true, numbers: [{ first: '1555', count: 2 }] });
  const chain = read(limited.issue({ name: 'Signer' }).chain);
  expect([chain.covers('1556'), chain.covers('1557')]).toEqual([true, false]);
});

test.each([
  ['a signer is no authority', root.issue({ name: 'Signer' }).issue({ name: 'Below' }).chain, 'no known authority'],
  [
    'an authority may allow no other below it',
    root
      .issue({ name: 'Last', authority: 0, numbers: null })
      .issue({ name: 'More', authority: true, numbers: null })
      .issue({ name: 'Signer' }).chain,
    'no known authority',
  ],
  ['a namesake of the authority', testAuthority().issue({ name: 'Signer' }).chain, 'no known authority'],
  ['another curve', root.issue({ name: 'Signer', curve: 'P-384' }).chain, 'not of the curve P-256'],
  ['no list of numbers', root.issue({ name: 'Signer', numbers: null }).chain, 'no list of numbers'],
  ['a list of another kind', serverCertificate, 'no known authority'],
  ['no PEM', 'hello', 'no certificate in PEM form'],
  [
    'PEM of something else',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    'a certificate is not readable',
  ],
  ['very many', root.pem.repeat(6), 'too many certificates'],
])('%s', (_, pem, words) => {
  expect(() => read(pem)).toThrow(words);
});

test('names of signers cannot write into logs and headers', () => {
  const { signer } = read(root.issue({ name: `Evil\r\nName: ${'x'.repeat(300)}` }).chain);
  expect(signer).toMatch(/^[^\r\n]{1,120}$/);
});

test('a certificate that is cut or changed anywhere is refused in words, and nothing else happens', () => {
  const body = Buffer.from(root.issue({ name: 'Signer' }).pem.replace(/-----.*-----|\s/g, ''), 'base64');
  for (let at = 0; at < body.length; at += 3) {
    const changed = Buffer.from(body);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x81, at);
    const pem = `-----BEGIN CERTIFICATE-----\n${changed.toString('base64')}\n-----END CERTIFICATE-----`;
    expect(() => read(pem)).toThrow(expect.objectContaining({ name: 'IdentityError' }));
  }
});
