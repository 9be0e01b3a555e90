/** Verdicts on the Identity headers of calls, by an authority of the test's own. */
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { IdentityError } from './identity-error.ts';
import type { CallFacts } from './identity-header.ts';
import type { Passport } from './passport.ts';
import { signIdentity } from './sign.ts';
import { readSigningChain } from './signing-chain.ts';
import { testAuthority } from './test-authority.fixture.ts';
import { verifyIdentities } from './verify.ts';

const now = new Date('2026-06-15T12:00:00Z');
const iat = now.getTime() / 1000;
const root = testAuthority();
const between = root.issue({ name: 'Between', authority: 0, numbers: null });
const carrier = between.issue({ name: 'Carrier One' });
const forwarder = root.issue({ name: 'Forwarder' });
const office = root.issue({
  name: 'Office',
  numbers: [{ number: '15550001' }, { first: '15550100', count: 10 }],
});
const stranger = testAuthority().issue({ name: 'Stranger' });

const published = new Map(
  Object.entries({ carrier, forwarder, office, stranger }).map(([name, { chain }]) => [
    `https://ca.test/${name}`,
    chain,
  ]),
);
const chainAt = async (url: string) => {
  const pem = published.get(url);
  if (pem === undefined) throw new IdentityError('the certificate could not be fetched', 'unchecked');
  return readSigningChain(pem, [new X509Certificate(root.pem)]);
};

const call: CallFacts = { orig: { tn: '15550001' }, dest: { tn: ['442079460000'] }, date: null };
const shaken: Passport = {
  ...{ ppt: 'shaken', x5u: 'https://ca.test/carrier', iat, attest: 'A', origid: 'o' },
  ...{ orig: { tn: '15550001' }, dest: { tn: ['442079460000'] } },
};
const signed = (changes: Partial<Passport> = {}, by = carrier) => signIdentity({ ...shaken, ...changes }, by.key);
const diversion = (div: string, dest: string, changes: Partial<Passport> = {}) =>
  signIdentity(
    {
      ...{ ppt: 'div', x5u: 'https://ca.test/forwarder', iat, orig: shaken.orig },
      ...{ div: { tn: div }, dest: { tn: [dest] } },
      ...changes,
    },
    forwarder.key,
  );
const verdict = (headers: readonly string[], facts = call) => verifyIdentities(headers, facts, { now, chainAt });

test('a valid one passes, with its attestation and who signed', async () => {
  expect(await verdict([await signed()])).toMatchObject({
    ...{ result: 'passed', attest: 'A', signer: 'Carrier One', diverted: [] },
  });
});

test.each<[string, Partial<Passport>, string]>([
  ['another caller', { orig: { tn: '15550002' } }, 'another caller'],
  ['another called number', { dest: { tn: ['442079460001'] } }, 'another called number'],
  ['61 seconds ago', { iat: iat - 61 }, 'too long ago'],
  ['in 61 seconds', { iat: iat + 61 }, 'in the future'],
])('for %s it fails', async (_, changes, words) => {
  expect(await verdict([await signed(changes)])).toEqual({
    result: 'failed',
    reason: expect.stringContaining(words),
  });
});

test.each([-60, 60])('a clock that is %i seconds off is near enough', async (seconds) => {
  expect(await verdict([await signed({ iat: iat + seconds })])).toMatchObject({ result: 'passed' });
});

test('a changed claim, and the key of somebody else, are forged', async () => {
  const [header, claims, ...rest] = (await signed({ attest: 'C' })).split('.');
  const raised = Buffer.from(claims ?? '', 'base64url')
    .toString()
    .replace('"C"', '"A"');
  const forged = [header, Buffer.from(raised).toString('base64url'), ...rest].join('.');
  const wrong = { result: 'failed', reason: 'the signature is wrong' };
  expect(await verdict([forged])).toEqual(wrong);
  expect(await verdict([await signed({}, stranger)])).toEqual(wrong);
});

test('a certificate of an unknown authority fails; one that cannot be fetched says nothing', async () => {
  expect(await verdict([await signed({ x5u: 'https://ca.test/stranger' }, stranger)])).toEqual({
    ...{ result: 'failed', reason: 'no known authority has issued the certificate' },
  });
  expect(await verdict([await signed({ x5u: 'https://ca.test/none' })])).toEqual({
    ...{ result: 'none', reason: 'the certificate could not be fetched' },
  });
});

test('a certificate speaks for the numbers in its list only', async () => {
  const by = { x5u: 'https://ca.test/office' };
  const as = (tn: string) => ({ ...call, orig: { tn } });
  const from = async (tn: string) => verdict([await signed({ ...by, orig: { tn } }, office)], as(tn));
  expect(await from('15550001')).toMatchObject({ result: 'passed' });
  expect(await from('15550109')).toMatchObject({ result: 'passed' });
  const elsewhere = { result: 'failed', reason: 'the certificate is not for this number' };
  for (const number of ['15550110', '15550002', '115550101']) expect(await from(number)).toEqual(elsewhere);
});

test('of several headers the best valid one counts', async () => {
  const forged = (await signed()).replace(/\.[^.;]+;/, `.${'A'.repeat(86)};`);
  const b = await signed({ attest: 'B' });
  const c = await signed({ attest: 'C' });
  const plain = await signed({ ppt: null });
  expect(await verdict([forged, plain, c, b])).toMatchObject({ result: 'passed', attest: 'B' });
  expect(await verdict([plain])).toMatchObject({ result: 'passed', attest: null });
  expect(await verdict([await signed({ x5u: 'https://ca.test/none' }), forged])).toMatchObject({ result: 'failed' });
});

test('more headers than anybody needs are not looked at', async () => {
  const broken = Array.from({ length: 8 }, () => 'x');
  expect(await verdict([...broken, await signed()])).toMatchObject({ result: 'failed' });
});

test('a forwarded call is followed to the called number', async () => {
  const first = await signed({ dest: { tn: ['15550900'] } });
  const steps = [await diversion('15550901', '442079460000'), await diversion('15550900', '15550901')];
  expect(await verdict([first, ...steps])).toMatchObject({
    ...{ result: 'passed', attest: 'A', signer: 'Carrier One', diverted: ['15550900', '15550901'] },
  });
  const missing = { result: 'failed', reason: 'it was signed for another called number' };
  expect(await verdict([first, ...steps.slice(0, 1)])).toEqual(missing);
  expect(await verdict(steps)).toEqual({ result: 'failed', reason: 'nobody has signed for the caller' });
  const ofAnother = await diversion('15550900', '442079460000', { orig: { tn: '15550002' } });
  expect(await verdict([first, ofAnother])).toEqual(missing);
  const round = [await diversion('15550900', '15550901'), await diversion('15550901', '15550900')];
  expect(await verdict([first, ...round])).toEqual(missing);
  const old = await diversion('15550900', '442079460000', { iat: iat - 90 });
  expect(await verdict([first, old])).toEqual({ result: 'failed', reason: 'it was signed too long ago' });
});

test('an anonymous caller is signed by a URI', async () => {
  const uri = 'sip:anonymous@anonymous.invalid';
  const anonymous = await signed({ orig: { uri } });
  expect(await verdict([anonymous], { ...call, orig: { uri } })).toMatchObject({ result: 'passed' });
  expect(await verdict([anonymous])).toMatchObject({ result: 'failed' });
});
