/** Calls of carriers with Identity headers: what the trunk is told, what the CDR and the trace keep. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Passport } from '../../engines/stir/passport.ts';
import { signIdentity } from '../../engines/stir/sign.ts';
import { testAuthority } from '../../engines/stir/test-authority.fixture.ts';
import { openCertificateServer } from '../caller-identity/certificate-server.fixture.ts';
import { readTrace } from '../voice/trace/read-traces.ts';
import { createWorld, type Phone, sdp, type World } from './world.fixture.ts';

const root = testAuthority();
const signer = root.issue({ name: 'Carrier One' });
const stranger = testAuthority().issue({ name: 'Stranger' });

let certificates: Awaited<ReturnType<typeof openCertificateServer>>;
let world: World;
let caller: Phone;
let trunk: Phone;
let urls: Record<'signer' | 'stranger' | 'silent' | 'none', string>;

beforeAll(async () => {
  certificates = await openCertificateServer();
  const { publish, outbound } = certificates;
  urls = {
    signer: publish('signer', signer.chain),
    stranger: publish('stranger', stranger.chain),
    silent: publish('silent', null),
    none: publish('signer', signer.chain).replace('signer', 'none'),
  };
  world = await createWorld({ outbound, calls: { identityAuthorities: [root.pem] } });
  [caller, trunk] = [await world.phone(), await world.phone()];
});
afterAll(async () => {
  await world.close();
  certificates.close();
});

const from = '442071234567';
type Header = readonly [string, string];

const sign = (number: string, changes: Partial<Passport> = {}, by = signer) => {
  const iat = Math.floor(world.world.clock.now().getTime() / 1000);
  const usual = { ppt: 'shaken', attest: 'A', origid: 'o', x5u: urls.signer, iat } as const;
  return signIdentity({ ...usual, orig: { tn: from }, dest: { tn: [number] }, ...changes }, by.key);
};

/** Returns what the trunk and the records say of a call with these headers. */
async function call(headersFor: (number: string) => Promise<readonly Header[]>, mode = 'verstat') {
  const { number } = await world.number([trunk.port], { stir_shaken_mode: mode });
  const before = caller.sessions.length;
  const leg = caller.dial(number, { extra: { headers: await headersFor(number), content: sdp() } });
  await expect.poll(() => caller.sessions.length).toBe(before + 1);
  caller.sessions.at(-1)?.hangUp();
  await expect.poll(() => world.cdrs(number)).toHaveLength(1);
  await world.voice.recorder.flush();
  const [cdr] = await world.cdrs(number);
  const trace = await readTrace(world.world.env, leg.callId);
  return {
    number,
    asserted: trunk.invites.at(-1)?.headers.first('P-Asserted-Identity') ?? '',
    identity: trunk.invites.at(-1)?.headers.all('Identity') ?? [],
    cdr,
    notes: (trace?.entries ?? []).flatMap((entry) => (entry.kind === 'reason' ? [entry.text] : [])),
  };
}

const signed = (changes: Partial<Passport> = {}, by = signer) =>
  call(async (number) => [['Identity', await sign(number, changes, by)]]);

test('a caller whose number is signed is verified: verstat, CDR, trace', async () => {
  const { asserted, identity, cdr, notes } = await signed();
  expect(asserted).toContain(`<sip:${from};verstat=TN-Validation-Passed@`);
  expect(identity).toEqual([]);
  expect(cdr).toMatchObject({
    ...{ caller_verdict: 'passed', caller_attestation: 'A', caller_signer: 'Carrier One' },
    caller_verdict_reason: null,
  });
  expect(notes).toContain('the caller is verified: Carrier One attests A');
});

test.each<[string, () => Partial<Passport>, typeof signer, string]>([
  ['that is too old', () => ({ iat: 1 }), signer, 'it was signed too long ago'],
  ['for another caller', () => ({ orig: { tn: '442071234568' } }), signer, 'it was signed for another caller'],
  ['for another number', () => ({ dest: { tn: ['1'] } }), signer, 'it was signed for another called number'],
  [
    'of an unknown authority',
    () => ({ x5u: urls.stranger }),
    stranger,
    'no known authority has issued the certificate',
  ],
  ['that is forged', () => ({}), stranger, 'the signature is wrong'],
])('a signature %s fails, and the call goes on', async (_, changes, by, reason) => {
  const { asserted, cdr, notes } = await signed(changes(), by);
  expect(asserted).toContain('verstat=TN-Validation-Failed');
  expect(cdr).toMatchObject({ caller_verdict: 'failed', caller_attestation: null, caller_verdict_reason: reason });
  expect(notes).toContain(`the caller is not verified: ${reason}`);
});

test.each<[string, () => string, string]>([
  ['is not there', () => urls.none, 'the certificate could not be fetched'],
  ['never comes', () => urls.silent, 'the certificate did not come in time'],
])('a certificate that %s says nothing, and holds no call up', async (_, x5u, reason) => {
  const { asserted, cdr, notes } = await signed({ x5u: x5u() });
  expect(asserted).toContain('verstat=No-TN-Validation');
  expect(cdr).toMatchObject({ caller_verdict: 'none', caller_verdict_reason: reason });
  expect(notes).toContain(`the caller could not be verified: ${reason}`);
});

test('a forwarded call is verified with the signature of who forwarded it', async () => {
  const { asserted, notes } = await call(async (number) => [
    ['Identity', await sign(number, { dest: { tn: ['442079460000'] } })],
    ['Identity', await sign(number, { ppt: 'div', div: { tn: '442079460000' } })],
  ]);
  expect(asserted).toContain('verstat=TN-Validation-Passed');
  expect(notes).toContain('the caller is verified: Carrier One attests A, forwarded from 442079460000');
});

test("without Identity the carrier's own verdict counts, and none is no verdict", async () => {
  const assertedBy = async (value: string) => (await call(async () => [['P-Asserted-Identity', value]])).asserted;
  expect(await assertedBy('<sip:+442071111111;verstat=TN-Validation-Passed-B@carrier.test>')).toContain(
    '442071111111;verstat=TN-Validation-Passed-B@',
  );
  const { asserted, cdr } = await call(async () => []);
  expect(asserted).toContain('verstat=No-TN-Validation');
  expect(cdr).toMatchObject({ caller_verdict: 'none', caller_verdict_reason: 'the call has no Identity' });
});

test('what a caller writes as verstat does not outdo a failed signature', async () => {
  const { asserted } = await call(async (number) => [
    ['P-Asserted-Identity', '<sip:+442071234567;verstat=TN-Validation-Passed@carrier.test>'],
    ['Identity', await sign(number, {}, stranger)],
  ]);
  expect(asserted).toContain('verstat=TN-Validation-Failed');
});

test('the number that is shown is the one that must be signed', async () => {
  const { cdr } = await call(async (number) => [
    ['P-Asserted-Identity', '<sip:+442071111111@carrier.test>'],
    ['Identity', await sign(number)],
  ]);
  expect(cdr).toMatchObject({ caller_verdict: 'failed', caller_verdict_reason: 'it was signed for another caller' });
});

test('the original header is passed on untouched beside the verdict', async () => {
  let written = '';
  const { identity, cdr } = await call(async (number) => {
    written = await sign(number);
    return [['Identity', written]];
  }, 'original');
  expect(identity).toEqual([written]);
  expect(cdr).toMatchObject({ caller_verdict: 'passed' });
});

test('calls to numbers that nobody has fetch nothing', async () => {
  const x5u = certificates.publish('unknown', signer.chain);
  const stranded = await world.phone();
  stranded.dial('19995550000', {
    extra: { headers: [['Identity', await sign('19995550000', { x5u })]], content: sdp() },
  });
  await expect.poll(() => stranded.events.at(-1)).toMatch(/^failed/);
  expect(certificates.requests).not.toContain('/unknown.pem');
});
