/** Calls to carriers are signed: what the carrier gets, checked with jose alone and with our own verifier. */
import { X509Certificate } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Passport } from '../../engines/stir/passport.ts';
import { signIdentity } from '../../engines/stir/sign.ts';
import { readOwnChain, readSigningChain } from '../../engines/stir/signing-chain.ts';
import { testAuthority } from '../../engines/stir/test-authority.fixture.ts';
import { verifyIdentities } from '../../engines/stir/verify.ts';
import { createSigningCertificate, updateSigningCertificate } from '../caller-identity/signing-certificates.ts';
import { createCarrier, removeCarrier, updateCarrier } from '../voice/carriers/carriers.ts';
import { addRoute } from '../voice/carriers/routes.ts';
import { readTrace } from '../voice/trace/read-traces.ts';
import { type CallingOutOptions, callingOut } from './calling-out.fixture.ts';
import { createWorld, type Phone, sdp, type World } from './world.fixture.ts';

const root = testAuthority();
const between = root.issue({ name: 'Between', authority: true, numbers: null });
const signer = between.issue({ name: 'Operator' });
const url = 'https://certs.example.net/operator.pem';

let world: World;
let certificate: string;

beforeAll(async () => {
  world = await createWorld();
  certificate = await load('first', signer);
});
afterAll(() => world.close());
beforeEach(() => switchOn(certificate, true));

const load = (name: string, issued: typeof signer, settings = {}) =>
  createSigningCertificate(world.world.env, {
    ...{ name, chain: issued.chain, privateKey: issued.keyPem, url },
    ...settings,
  });

/** Resolves once this process has heard of it. */
async function switchOn(id: string, enabled: boolean): Promise<void> {
  const heard = Promise.withResolvers<void>();
  const stop = world.world.env.changes.on('signing_certificates', () => heard.resolve());
  await updateSigningCertificate(world.world.env, id, { enabled });
  await heard.promise;
  stop();
}

/** What a carrier is told of who calls: the token is checked without any code of ours. */
async function read(header: string, by = signer) {
  const [token = '', ...parameters] = header.split(';');
  const { payload } = await compactVerify(token, new X509Certificate(by.pem).publicKey, { algorithms: ['ES256'] });
  return { parameters, head: decodeProtectedHeader(token), claims: JSON.parse(Buffer.from(payload).toString()) };
}

async function callOut(options: CallingOutOptions = {}, from?: string, headers: readonly [string, string][] = []) {
  const out = await callingOut(world, options);
  const account = { username: out.carrierName, password: 'p' };
  const leg =
    from === undefined
      ? out.call(undefined, undefined, headers)
      : out.customer.dial(`${out.prefix}123456`, { from: `<sip:${from}@127.0.0.1>`, account, extra: { headers } });
  return { ...out, leg, ...(await ended(out.customer, out.carrier, leg.callId)), ...(await recordOf(out.accountId)) };
}

async function ended(caller: Phone, carrier: Phone, callId: string) {
  await expect.poll(() => caller.sessions).toHaveLength(1);
  caller.sessions[0]?.hangUp();
  await expect.poll(() => caller.events.length).toBeGreaterThan(1);
  await world.voice.recorder.flush();
  const trace = await readTrace(world.world.env, callId);
  const [invite] = carrier.invites;
  return {
    invite,
    identities: invite?.headers.all('Identity') ?? [],
    notes: (trace?.entries ?? []).flatMap((entry) => (entry.kind === 'reason' ? [entry.text] : [])),
  };
}

async function recordOf(accountId: string) {
  await expect.poll(() => world.cdrsOut(accountId)).toHaveLength(1);
  const [cdr] = await world.cdrsOut(accountId);
  const { rows } = await world.world.env.pool.query('select origid from accounts where id = $1', [accountId]);
  return { cdr, origid: rows[0]?.origid };
}

test('a number of the account is attested A, and a carrier verifies it', async () => {
  const { identities, invite, number, prefix, origid, cdr, notes } = await callOut();
  const now = world.world.clock.now();
  const [header = ''] = identities;
  expect(await read(header)).toEqual({
    parameters: [`info=<${url}>`, 'alg=ES256', 'ppt=shaken'],
    head: { alg: 'ES256', ppt: 'shaken', typ: 'passport', x5u: url },
    claims: {
      ...{ attest: 'A', origid, iat: Math.floor(now.getTime() / 1000) },
      ...{ orig: { tn: number }, dest: { tn: [`${prefix}123456`] } },
    },
  });
  expect(invite?.headers.first('Date')).toBe(now.toUTCString());
  expect(cdr).toMatchObject({ signed_as: 'A', signed_origid: origid });
  expect(notes).toContain('signed with attestation A');
  const facts = { orig: { tn: number }, dest: { tn: [`${prefix}123456`] }, date: null };
  const chain = readSigningChain(signer.chain, [new X509Certificate(root.pem)]);
  const verifier = { now, chainAt: async () => chain };
  expect(await verifyIdentities([header], facts, verifier)).toMatchObject({ result: 'passed', attest: 'A' });
  const later = { ...verifier, now: new Date(now.getTime() + 61_000) };
  expect(await verifyIdentities([header], facts, later)).toMatchObject({ reason: 'it was signed too long ago' });
  const other = { ...facts, orig: { tn: '442079460000' } };
  expect(await verifyIdentities([header], other, verifier)).toMatchObject({ result: 'failed' });
  const forged = { now, chainAt: async () => readOwnChain(between.issue({ name: 'Other' }).chain) };
  expect(await verifyIdentities([header], facts, forged)).toMatchObject({ reason: 'the signature is wrong' });
});

test('another number is attested B, with the same origin in each call of the account', async () => {
  const trunk = { on_cli_mismatch_action: 'send_original_cli' };
  const first = await callOut({ trunk }, '+442079460000');
  const { claims } = await read(first.identities[0] ?? '');
  expect(claims).toMatchObject({ attest: 'B', orig: { tn: '442079460000' }, origid: first.origid });
  expect(first.cdr).toMatchObject({ signed_as: 'B' });
});

test('a number that replaces a foreign one is attested A', async () => {
  const { identities, number } = await callOut({ trunk: { on_cli_mismatch_action: 'randomize_cli' } }, '+442079460000');
  expect((await read(identities[0] ?? '')).claims).toMatchObject({ attest: 'A', orig: { tn: number } });
});

test('who is not to be shown is signed with the number that the carrier is told', async () => {
  const { identities, invite, number } = await callOut({}, undefined, [['Privacy', 'id']]);
  expect(invite?.from.uri).toBe('sip:anonymous@anonymous.invalid');
  expect(invite?.headers.first('P-Asserted-Identity')).toContain(number);
  expect((await read(identities[0] ?? '')).claims).toMatchObject({ orig: { tn: number } });
});

test('what is no international number is not signed, and the call goes on', async () => {
  const { identities, notes, cdr } = await callOut({ trunk: { on_cli_mismatch_action: 'send_original_cli' } }, '1555');
  expect([identities, cdr?.signed_as, cdr?.success]).toEqual([[], null, true]);
  expect(notes).toContain('not signed: the caller has no international number');
});

test('an Identity that a customer writes is not passed on', async () => {
  const { identities } = await callOut({}, undefined, [['Identity', 'forged;info=<https://a.test/>']]);
  expect(identities).toHaveLength(1);
  expect(identities[0]).not.toContain('forged');
});

test('a carrier that wants none gets none; nobody gets one without a certificate', async () => {
  const unwilling = await callOut({ carrier: { signCalls: false } });
  expect([unwilling.identities, unwilling.cdr?.signed_as]).toEqual([[], null]);
  await updateCarrier(world.world.env, unwilling.carrierName, { signCalls: true });
  await switchOn(certificate, false);
  const before = world.endpoint.signer.counts.get('unsigned');
  const without = await callOut();
  expect([without.identities, without.invite?.headers.has('Date')]).toEqual([[], false]);
  expect(world.endpoint.signer.counts.get('unsigned')).toBe(before);
  expect(without.notes.join()).not.toContain('signed');
});

/** A call that a carrier brings for a number whose PSTN trunk leads to another carrier. */
async function forward(headersFor: (did: string) => Promise<readonly [string, string][]>, from = caller) {
  const { env } = world.world;
  const [brings, takes] = [await world.phone(), await world.phone()];
  forwarded += 1;
  const prefix = `88${1000 + forwarded}`;
  const name = `forwards ${forwarded}`;
  await createCarrier(env, { name, host: '127.0.0.1', port: takes.port });
  await addRoute(env, { carrier: name, prefix, priority: 1, weight: 1 });
  await env.db.insertInto('voice_rates').values({ kind: 'pstn_forwarding', per_minute: '0.1', prefix }).execute();
  const accountId = await world.telephony.account();
  const trunk = await world.telephony.pstnTrunk(accountId, `${prefix}777777`);
  const did = await world.telephony.did(accountId, { voice_in_trunk_id: trunk });
  const headers = await headersFor(did.number);
  const leg = brings.dial(did.number, { from: `<sip:${from}@127.0.0.1>`, extra: { headers, content: sdp() } });
  const told = await ended(brings, takes, leg.callId);
  await expect.poll(() => world.cdrs(did.number)).toHaveLength(1);
  return { ...told, did: did.number, dest: `${prefix}777777`, cdr: (await world.cdrs(did.number))[0] };
}
let forwarded = 0;
const caller = '442071234567';

const otherCarrier = between.issue({ name: 'Carrier One' });
const signedBy = (number: string, changes: Partial<Passport> = {}) => {
  const iat = Math.floor(world.world.clock.now().getTime() / 1000);
  const x5u = 'https://certs.example.net/one.pem';
  const passport: Passport = {
    ...{ ppt: 'shaken', attest: 'A', origid: 'o', x5u, iat, orig: { tn: caller }, dest: { tn: [number] } },
    ...changes,
  };
  return signIdentity(passport, otherCarrier.key);
};

test('a call that came without a signature is attested C where it is forwarded to', async () => {
  const { identities, dest, cdr } = await forward(async () => []);
  const { rows } = await world.world.env.pool.query('select origid from environment_state');
  expect((await read(identities[0] ?? '')).claims).toMatchObject({
    ...{ attest: 'C', orig: { tn: caller }, dest: { tn: [dest] }, origid: rows[0]?.origid },
  });
  expect(cdr).toMatchObject({ signed_as: 'C', signed_origid: rows[0]?.origid });
});

test('its origin is the carrier that brought it, if that is known', async () => {
  const { env } = world.world;
  const id = await createCarrier(env, { name: 'brings', addresses: ['127.0.0.1'] });
  const row = env.db.selectFrom('carriers').select('origid').where('id', '=', id);
  const { origid } = await row.executeTakeFirstOrThrow();
  const { identities } = await forward(async () => []);
  await removeCarrier(env, 'brings');
  const { claims } = await read(identities[0] ?? '');
  expect([claims.attest, claims.origid]).toEqual(['C', origid]);
});

test('a forwarded call keeps its signature, and ours says where it went: both verify together', async () => {
  let came = '';
  const date = 'Mon, 15 Jun 2026 11:59:30 GMT';
  const { identities, invite, did, dest, cdr } = await forward(async (number) => {
    came = await signedBy(number);
    return [
      ['Identity', came],
      ['Date', date],
    ];
  });
  expect([identities.length, identities[0]]).toEqual([2, came]);
  expect(invite?.headers.all('Date')).toEqual([date]);
  const { parameters, claims } = await read(identities[1] ?? '');
  expect(parameters).toContain('ppt=div');
  expect(claims).toEqual({
    ...{ orig: { tn: caller }, dest: { tn: [dest] }, div: { tn: did }, iat: expect.any(Number) },
  });
  expect(cdr).toMatchObject({ signed_as: 'div', signed_origid: null });
  const trusted = [new X509Certificate(root.pem)];
  const chains = [otherCarrier, signer].map((one) => readSigningChain(one.chain, trusted));
  const chainAt = async (from: string) => chains[from === url ? 1 : 0] ?? expect.unreachable();
  const facts = { orig: { tn: caller }, dest: { tn: [dest] }, date: null };
  const verdict = await verifyIdentities(identities, facts, { now: world.world.clock.now(), chainAt });
  expect(verdict).toMatchObject({ result: 'passed', attest: 'A', signer: 'Carrier One', diverted: [did] });
  const alone = await verifyIdentities([came], facts, { now: world.world.clock.now(), chainAt });
  expect(alone).toMatchObject({ reason: 'it was signed for another called number' });
});

test.each<[string, (did: string) => Promise<string>]>([
  ['for another caller', (did) => signedBy(did, { orig: { tn: '442071234568' } })],
  ['for another number', () => signedBy('442079460000')],
  ['that nobody can read', async () => 'nonsense'],
])('a signature %s is not passed on with ours', async (_, header) => {
  const { identities, notes, cdr } = await forward(async (did) => [['Identity', await header(did)]]);
  expect([identities, cdr?.signed_as]).toEqual([[], null]);
  expect(notes).toContain('not signed: the signature that it came with is not valid for it');
});

test('an anonymous caller is named by no signature', async () => {
  const { identities, notes } = await forward(async (did) => [
    ['Privacy', 'id'],
    ['Identity', await signedBy(did)],
  ]);
  expect(identities).toEqual([]);
  expect(notes).toContain('not signed: the caller is not to be shown');
});

test('the newest valid certificate that is for the number signs; a change is heard at once', async () => {
  const { clock } = world.world;
  const named = (name: string, x5u: string, changes: object) => {
    const issued = between.issue({ name, ...changes });
    return load(name, issued, { url: x5u }).then((id) => ({ id, issued }));
  };
  const numbers = [{ number: '442079460999' }];
  const next = await named('next', 'https://certs.example.net/next.pem', { from: '2026-06-15T12:30:00Z' });
  await named('for one number', 'https://certs.example.net/one.pem', { from: '2026-06-01T00:00:00Z', numbers });
  const address = async (by = signer) => (await read((await callOut()).identities[0] ?? '', by)).head.x5u;
  expect(await address()).toBe(url);
  clock.advance(3600);
  expect(await address(next.issued)).toBe('https://certs.example.net/next.pem');
  await switchOn(next.id, false);
  expect(await address()).toBe(url);
});

test('a key that cannot be opened signs nothing, and is told of without its secret', async () => {
  const { env } = world.world;
  await switchOn(certificate, false);
  const lines: unknown[] = [];
  const { error } = env.log;
  env.log.error = (...line: unknown[]) => void lines.push(line);
  const damaged = await load('damaged', signer);
  await env.pool.query(`update signing_certificates set sealed_private_key = 'AAAA' where id = $1`, [damaged]);
  const { identities, cdr } = await callOut();
  env.log.error = error;
  expect([identities, cdr?.success]).toEqual([[], true]);
  expect(JSON.stringify(lines)).toContain('a certificate cannot sign calls');
  expect(JSON.stringify(lines)).not.toContain('PRIVATE');
});
