/** Digest authentication on both sides, against the examples of RFC 7616. */
import { expect, test } from 'vitest';
import { responseTo } from '../message/build.ts';
import { formatCredentials } from '../message/credentials.ts';
import { SipRequest } from '../message/message.ts';
import { SeededIds } from '../simulation/seeded-ids.fixture.ts';
import { SeededRandom } from '../simulation/seeded-random.fixture.ts';
import { authorize } from './client.ts';
import { type DigestAlgorithm, digestResponse, secretHash } from './hash.ts';
import { DigestServer, type SecretOf } from './server.ts';

const ids = new SeededIds(new SeededRandom(1));
const account = { username: 'trunk "1"', password: 'pass:wörd' };
const secretOf: SecretOf = (username, algorithm) =>
  username === account.username ? secretHash(algorithm, username, 'sip.test', account.password) : null;

function setUp(options: { algorithms?: DigestAlgorithm[]; secret?: string } = {}) {
  const clock = { now: 1_000_000 };
  const server = new DigestServer({ realm: 'sip.test', secret: 's', ids, now: () => clock.now, ...options });
  const request = new SipRequest('INVITE', 'sip:+44@sip.test');
  for (const [name, value] of [
    ['Via', 'SIP/2.0/UDP a'],
    ['From', '<sip:a@x>;tag=1'],
    ['To', '<sip:b@x>'],
    ['Call-ID', '1'],
    ['CSeq', '1 INVITE'],
  ] as const)
    request.headers.add(name, value);
  const challenge = (stale = false, status = 401) => {
    const response = responseTo(request, status);
    server.challenge(response, status === 401 ? 'user' : 'proxy', '192.0.2.1', { stale });
    return response;
  };
  return { clock, server, request, challenge };
}

test('the hash is that of the example in RFC 7616 3.9.1', () => {
  const quality = { qop: 'auth', nonceCount: '00000001', clientNonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' };
  const input = {
    method: 'GET',
    uri: '/dir/index.html',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    quality,
  };
  const secret = (algorithm: DigestAlgorithm) =>
    secretHash(algorithm, 'Mufasa', 'http-auth@example.org', 'Circle of Life');
  expect(digestResponse({ ...input, algorithm: 'MD5', secret: secret('MD5') })).toBe(
    '8ca523f5e9506fed4657c9700eebdbec',
  );
  expect(digestResponse({ ...input, algorithm: 'SHA-256', secret: secret('SHA-256') })).toBe(
    '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  );
});

test.each([401, 407])('%i: what our client answers, our server accepts', (status) => {
  const { server, request, challenge } = setUp();
  expect(authorize(request, challenge(false, status), account, ids)).toBe(true);
  expect(server.verify(request, status === 401 ? 'user' : 'proxy', '192.0.2.1', secretOf)).toEqual({
    outcome: 'accepted',
    username: account.username,
  });
});

test('SHA-256 is offered before MD5, and a client that knows only MD5 takes that (trap 22)', () => {
  const { server, request, challenge } = setUp();
  const response = challenge();
  expect(response.headers.all('WWW-Authenticate').map((value) => /algorithm=([^,]*)/.exec(value)?.[1])).toEqual([
    'SHA-256',
    'MD5',
  ]);
  const [, md5 = ''] = response.headers.all('WWW-Authenticate');
  response.headers.remove('WWW-Authenticate');
  response.headers.add('WWW-Authenticate', 'Digest realm="sip.test", nonce="1", algorithm=SHA-512-256, qop="auth"');
  response.headers.add('WWW-Authenticate', 'Digest realm="broken');
  response.headers.add('WWW-Authenticate', md5);
  expect(authorize(request, response, account, ids)).toBe(true);
  expect(server.verify(request, 'user', '192.0.2.1', secretOf).outcome).toBe('accepted');
});

test('a wrong password is refused, and our client does not try the same twice', () => {
  const { server, request, challenge } = setUp();
  authorize(request, challenge(), { ...account, password: 'x' }, ids);
  expect(server.verify(request, 'user', '192.0.2.1', secretOf)).toEqual({
    outcome: 'refused',
    username: account.username,
  });
  expect(authorize(request, challenge(), account, ids)).toBe(false);
});

test('an unknown user is refused like a wrong password', () => {
  const { server, request, challenge } = setUp();
  authorize(request, challenge(), { username: 'nobody', password: '' }, ids);
  expect(server.verify(request, 'user', '192.0.2.1', secretOf).outcome).toBe('refused');
});

test('a stale nonce leads to a second attempt (trap 22)', () => {
  const { clock, server, request, challenge } = setUp();
  authorize(request, challenge(), account, ids);
  clock.now += 61_000;
  expect(server.verify(request, 'user', '192.0.2.1', secretOf)).toEqual({ outcome: 'challenge', stale: true });
  expect(authorize(request, challenge(true), account, ids)).toBe(true);
  expect(server.verify(request, 'user', '192.0.2.1', secretOf).outcome).toBe('accepted');
});

test('nonces need no store: another process with the same secret accepts them, one with another calls them stale', () => {
  const { request, challenge } = setUp();
  authorize(request, challenge(), account, ids);
  expect(setUp().server.verify(request, 'user', '192.0.2.1', secretOf).outcome).toBe('accepted');
  expect(setUp({ secret: 'other' }).server.verify(request, 'user', '192.0.2.1', secretOf)).toEqual({
    outcome: 'challenge',
    stale: true,
  });
});

test('captured credentials are of no use from elsewhere, for another method, number or realm', () => {
  const { server, request, challenge } = setUp();
  authorize(request, challenge(), account, ids);
  expect(server.verify(request, 'user', '203.0.113.9', secretOf).outcome).toBe('challenge');
  const copy = (method: string, uri: string) => {
    const other = new SipRequest(method, uri);
    other.headers.copy(request.headers, 'Authorization');
    return server.verify(other, 'user', '192.0.2.1', secretOf).outcome;
  };
  expect(copy('INVITE', 'sip:+99@sip.test')).toBe('refused');
  expect(copy('BYE', 'sip:+44@sip.test')).toBe('refused');
  expect(copy('INVITE', 'sip:+44@edge.sip.test:5062')).toBe('accepted');
});

test.each([
  ['no credentials', null, 'challenge'],
  ['another scheme', 'Basic dHJ1bms6cGFzcw==', 'challenge'],
  ['another realm', 'Digest username="a", realm="other", nonce="1", uri="sip:x", response="0"', 'challenge'],
  [
    'an algorithm that was not offered',
    'Digest username="a", realm="sip.test", nonce="1", algorithm=SHA-1, response="0"',
    'challenge',
  ],
  ['broken credentials', 'Digest username="a', 'challenge'],
  ['an invented nonce', 'Digest username="a", realm="sip.test", nonce="a.b.c", uri="sip:x", response="0"', 'challenge'],
])('%s: %s', (_name, value, outcome) => {
  const { server, request } = setUp();
  if (value !== null) request.headers.add('Authorization', value);
  expect(server.verify(request, 'user', '192.0.2.1', secretOf).outcome).toBe(outcome);
});

test('a peer of RFC 2069, without qop, is understood on both sides', () => {
  const { server, request, challenge } = setUp({ algorithms: ['MD5'] });
  const response = challenge();
  response.headers.set(
    'WWW-Authenticate',
    (response.headers.first('WWW-Authenticate') ?? '').replace(', qop="auth"', ''),
  );
  expect(authorize(request, response, account, ids)).toBe(true);
  expect(request.headers.first('Authorization')).not.toContain('qop');
  expect(server.verify(request, 'user', '192.0.2.1', secretOf).outcome).toBe('accepted');
});

test('credentials are good once: repeated they are stale, with a higher count they are accepted', () => {
  const { server, request, challenge, clock } = setUp();
  authorize(request, challenge(), account, ids);
  const check = () => server.verify(request, 'user', '192.0.2.1', secretOf);
  expect(check().outcome).toBe('accepted');
  expect(check()).toEqual({ outcome: 'challenge', stale: true });
  const [, nonce = ''] = /nonce="([^"]*)"/.exec(request.headers.first('Authorization') ?? '') ?? [];
  const counted = (nonceCount: string) => {
    const quality = { qop: 'auth', nonceCount, clientNonce: 'c' };
    const secret = secretHash('MD5', account.username, 'sip.test', account.password);
    const response = digestResponse({ algorithm: 'MD5', secret, method: 'INVITE', uri: request.uri, nonce, quality });
    const given = { realm: 'sip.test', nonce, uri: request.uri, response, algorithm: 'MD5', qop: 'auth', cnonce: 'c' };
    const parameters = new Map(Object.entries({ username: account.username, ...given, nc: nonceCount }));
    request.headers.set('Authorization', formatCredentials({ scheme: 'digest', parameters }, 'credentials'));
    return check().outcome;
  };
  expect(['0000000a', '00000002', '0000000a', '0000000b'].map(counted)).toEqual([
    ...['accepted', 'challenge', 'challenge', 'accepted'],
  ]);
  clock.now += 61_000;
  expect(counted('0000000c')).toBe('challenge');
});

test('without qop a nonce is good once, whatever count somebody puts beside the captured response', () => {
  const { server, request, challenge } = setUp({ algorithms: ['MD5'] });
  const response = challenge();
  const offered = (response.headers.first('WWW-Authenticate') ?? '').replace(', qop="auth"', '');
  response.headers.set('WWW-Authenticate', offered);
  authorize(request, response, account, ids);
  const captured = request.headers.first('Authorization') ?? '';
  const check = () => server.verify(request, 'user', '192.0.2.1', secretOf);
  expect(check().outcome).toBe('accepted');
  for (const more of ['', ', nc=00000001', ', nc=0000ffff', ', nc=0000ffff, cnonce="c"']) {
    request.headers.set('Authorization', `${captured}${more}`);
    expect(check()).toEqual({ outcome: 'challenge', stale: true });
  }
});
