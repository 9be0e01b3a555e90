/** PASSporTs as the RFCs print them: RFC 8225 appendix A with its key, and the forms of RFC 8588 and RFC 8946. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { compactVerify } from 'jose';
import { expect, test } from 'vitest';
import { type CallFacts, identityHeader, readIdentity } from './identity-header.ts';
import { canonicalNumber, isSameNumber } from './numbers.ts';
import { type Passport, passportTexts } from './passport.ts';
import { signIdentity, signPassport } from './sign.ts';

const key = createPrivateKey(`-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIFeZ1R208QCvcu5GuYyMfG4W7sH4m99/7eHSDLpdYllFoAoGCCqGSM49
AwEHoUQDQgAE8HNbQd/TmvCKwPKHkMF9fScavGeH78YTU8qLS8I5HLHSSmlATLcs
lQMhNC/OhlWBYC626nIlo7XeebYS7Sb37g==
-----END EC PRIVATE KEY-----`);
const header =
  'eyJhbGciOiJFUzI1NiIsInR5cCI6InBhc3Nwb3J0IiwieDV1IjoiaHR0cHM6Ly9jZXJ0LmV4YW1wbGUub3JnL3Bhc3Nwb3J0LmNlciJ9';
const claims =
  'eyJkZXN0Ijp7InVyaSI6WyJzaXA6YWxpY2VAZXhhbXBsZS5jb20iXX0sImlhdCI6MTQ3MTM3NTQxOCwib3JpZyI6eyJ0biI6IjEyMTU1NTUxMjEyIn19';
const signature = 'A'.repeat(86);
const x5u = 'https://cert.example.org/passport.cer';
const printed: Passport = {
  ...{ ppt: null, x5u, iat: 1_471_375_418 },
  ...{ orig: { tn: '12155551212' }, dest: { uri: ['sip:alice@example.com'] } },
};
const call: CallFacts = { orig: printed.orig, dest: printed.dest, date: printed.iat };

test('RFC 8225 A: what is signed is what it prints, and its key signs it', async () => {
  const token = await signPassport(printed, key);
  expect(token.split('.').slice(0, 2)).toEqual([header, claims]);
  await compactVerify(token, createPublicKey(key));
  expect(readIdentity(identityHeader(token, printed), call)).toEqual({ passport: printed, token });
});

test('RFC 8225 7: the compact form is read back with what the call says', async () => {
  const token = await signPassport(printed, key);
  const compact = `..${token.split('.')[2]}`;
  const value = identityHeader(compact, printed);
  expect(readIdentity(value, call)).toEqual({ passport: printed, token });
  const other = readIdentity(value, { ...call, orig: { tn: '12155551213' } });
  await expect(compactVerify(other.token, createPublicKey(key))).rejects.toThrow('signature verification failed');
  expect(() => readIdentity(value, { ...call, date: null })).toThrow('needs a Date');
  expect(() => readIdentity(`${value};ppt=shaken`, call)).toThrow('no attestation');
});

test('RFC 8588 and RFC 8946: the members in their order, without spaces', () => {
  const shaken = passportTexts({
    ...{ ppt: 'shaken', x5u: 'https://cert.example.org/passport.cer', iat: 1_443_208_345, attest: 'A' },
    ...{ orig: { tn: '12155551212' }, dest: { tn: ['12125551213'] } },
    origid: '123e4567-e89b-12d3-a456-426655440000',
  });
  expect(shaken).toEqual({
    header: '{"alg":"ES256","ppt":"shaken","typ":"passport","x5u":"https://cert.example.org/passport.cer"}',
    claims:
      '{"attest":"A","dest":{"tn":["12125551213"]},"iat":1443208345,"orig":{"tn":"12155551212"},"origid":"123e4567-e89b-12d3-a456-426655440000"}',
  });
  const div = passportTexts({
    ...{ ppt: 'div', x5u: 'https://www.example.com/cert.cer', iat: 1_443_208_345, div: { tn: '12155551213' } },
    ...{ orig: { tn: '12155551212' }, dest: { tn: ['12155551214'] } },
  });
  expect(div).toEqual({
    header: '{"alg":"ES256","ppt":"div","typ":"passport","x5u":"https://www.example.com/cert.cer"}',
    claims: '{"dest":{"tn":["12155551214"]},"div":{"tn":"12155551213"},"iat":1443208345,"orig":{"tn":"12155551212"}}',
  });
});

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const usualHeader = { alg: 'ES256', typ: 'passport', x5u };
const usualClaims = { dest: { tn: ['1'] }, iat: 1, orig: { tn: '2' } };
const written = (changedHeader: object, changedClaims: object, parameters = `;info=<${x5u}>`) =>
  `${encoded({ ...usualHeader, ...changedHeader })}.${encoded({ ...usualClaims, ...changedClaims })}.${signature}${parameters}`;

test.each([
  ['', 'not readable'],
  ['abc;info=<https://ca.test/c.pem>;alg=ES256', 'not readable'],
  [`e30.e30.${signature}`, 'not readable'],
  [`e30.e30.${signature};info=<${x5u}>`, 'is no PASSporT'],
  [`W10.W10.${signature};info=<${x5u}>`, 'not readable'],
  [`bm8.bm8.${signature};info=<${x5u}>`, 'not readable'],
  [written({}, {}, ';alg=ES256'), 'Identity header names no certificate'],
  [written({}, {}, ';info=<https://other.test/c>'), 'different certificates'],
  [written({}, {}, `;info=<${x5u}>;ppt=shaken`), 'different kinds'],
  [written({}, {}, `;info=<${x5u}>;alg=RS256`), 'not signed with ES256'],
  [written({}, {}, `;info=<${x5u}>;broken`), 'not readable'],
  [written({ alg: 'none' }, {}), 'not signed with ES256'],
  [written({ ppt: 'rcd' }, {}), 'kind of the token'],
  [written({ x5u: 5 }, {}), 'names no certificate'],
  [written({ ppt: 'shaken' }, { attest: 'D', origid: 'x' }), 'no attestation'],
  [written({ ppt: 'shaken' }, { attest: 'A' }), 'no attestation'],
  [written({ ppt: 'div' }, {}), 'names no caller'],
  [written({}, { iat: '1471375418' }), 'no time'],
  [written({}, { orig: { tn: 'ann' } }), 'names no caller'],
  [written({}, { dest: { tn: [] } }), 'no called number'],
  [`${'x'.repeat(5_000)}`, 'too long'],
])('what is not an Identity header is refused in words (%#)', (value, words) => {
  expect(() => readIdentity(value, call)).toThrow(words);
});

test('parameters may be quoted and in any order, and unknown ones are ignored', async () => {
  const value = await signIdentity({ ...printed, ppt: 'shaken', attest: 'B', origid: 'o' }, key);
  const [token = ''] = value.split(';');
  const other = `${token} ; ppt="shaken" ;x=1; ALG=ES256 ; info=<${x5u}>`;
  expect(readIdentity(other, call)).toEqual(readIdentity(value, call));
});

test.each([
  ['+44 (20) 7946-0000', '442079460000'],
  ['1.215.555.1212', '12155551212'],
  ['*69', '*69'],
  ['ann', null],
  ['', null],
  ['9'.repeat(33), null],
])('the canonical form of %s is %s', (text, expected) => {
  expect(canonicalNumber(text)).toBe(expected);
});

test('numbers are the same whatever their separators', () => {
  expect(isSameNumber('+1 215 555 1212', '12155551212')).toBe(true);
  expect(isSameNumber('ann', 'ann')).toBe(false);
});
