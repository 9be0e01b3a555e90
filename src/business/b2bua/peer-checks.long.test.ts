/** OPTIONS to carriers and trunks over real sockets, what is stored of the answers, and what routing makes of it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { advanceClock } from '../../../test/support/environment.ts';
import { byBootstrap } from '../../interfaces/operator/act.ts';
import { requestCarrierTest } from '../../interfaces/operator/peers/peer-tests.ts';
import { createCarrier } from '../voice/carriers/carriers.ts';
import { createRouteFinder } from '../voice/carriers/find-routes.ts';
import { addRoute } from '../voice/carriers/routes.ts';
import { listPeerHealth } from '../voice/sip-peers.ts';
import { Authentication } from './authentication.ts';
import { PeerChecks } from './peer-checks.ts';
import { Registrations } from './registrations.ts';
import { createWorld, type World } from './world.fixture.ts';

const everySeconds = 60;

let world: World;
let checks: PeerChecks;
beforeAll(async () => {
  world = await createWorld();
  const { env } = world.world;
  const registrations = new Registrations(world.endpoint, new Authentication(env));
  checks = new PeerChecks(world.endpoint, registrations, everySeconds);
});
afterAll(() => world.close());

beforeEach(() => world.world.env.pool.query('delete from carriers; delete from voice_in_trunks'));

/** Returns how many peers were due. */
async function check(): Promise<number> {
  const started = await checks.look();
  await Promise.all(started);
  return started.length;
}

const health = async (kind: 'carrier' | 'trunk') =>
  Object.fromEntries((await listPeerHealth(world.world.env, kind)).map((one) => [one.name, one]));

/** A port of loopback where nothing listens. */
async function closedPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

/** Answers every request with this status. */
async function answering(status: string) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  socket.on('message', (bytes, { port }) => {
    const [, ...lines] = String(bytes).split('\r\n');
    const kept = lines.filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
    socket.send([`SIP/2.0 ${status}`, ...kept, 'Content-Length: 0', '', ''].join('\r\n'), port, '127.0.0.1');
  });
  await once(socket, 'listening');
  return socket;
}

test('a carrier that answers is up, one that does not is down and comes last, until it is back', async () => {
  const { env } = world.world;
  const { clock } = world.world;
  const [busy, free] = [await world.phone(), await world.phone()];
  await createCarrier(env, { name: 'dead', host: '127.0.0.1', port: await closedPort(), transport: 'tcp' });
  await createCarrier(env, { name: 'alive', host: '127.0.0.1', port: busy.port });
  for (const [priority, carrier] of ['dead', 'alive'].entries())
    await addRoute(env, { carrier, prefix: '49', priority, weight: 1 });
  const order = async () => (await createRouteFinder(env)('4930123', null)).map(({ carrier }) => carrier.name);
  expect(await order()).toEqual(['dead', 'alive']);
  expect(await check()).toBe(2);
  const first = await health('carrier');
  expect(first.alive).toMatchObject({ state: 'up', response: '200 OK', since: clock.now(), checked_at: clock.now() });
  expect(first.alive?.round_trip_ms).toBeGreaterThanOrEqual(0);
  expect(first.dead).toMatchObject({ state: 'down', response: 'Connection refused', since: clock.now() });
  expect(await order()).toEqual(['alive', 'dead']);
  expect(await check()).toBe(0);
  // What is down is asked again sooner; `since` stays.
  const since = clock.now();
  clock.advance(15);
  expect(await check()).toBe(1);
  expect((await health('carrier')).dead).toMatchObject({ state: 'down', since, checked_at: clock.now() });
  await env.pool.query(`update carriers set port = $1, transport = 'udp' where name = 'dead'`, [free.port]);
  clock.advance(15);
  await check();
  expect((await health('carrier')).dead).toMatchObject({ state: 'up', since: clock.now() });
  expect(await order()).toEqual(['dead', 'alive']);
});

test('an operator tests a carrier at once, also one that is switched off, and gets what it answered', async () => {
  const { env } = world.world;
  const phone = await world.phone();
  const id = await createCarrier(env, { name: 'new', host: '127.0.0.1', port: phone.port, enabled: false });
  await createCarrier(env, { name: 'mute', host: '127.0.0.1', port: await closedPort(), transport: 'tcp' });
  expect(await check()).toBe(1);
  const tested = async (test: string) =>
    env.db.selectFrom('peer_tests').selectAll().where('id', '=', test).executeTakeFirstOrThrow();
  const [first, second] = [
    await requestCarrierTest(byBootstrap(env), { id }),
    await requestCarrierTest(byBootstrap(env), { name: 'mute' }),
  ];
  expect(await check()).toBe(2);
  expect(await tested(first)).toMatchObject({ status: 'passed', result: '200 OK', peer: 'new' });
  expect(await tested(second)).toMatchObject({ status: 'failed', result: 'Connection refused', milliseconds: null });
  // Without a process that has SIP the test ends by itself.
  const third = await requestCarrierTest(byBootstrap(env), { id });
  await advanceClock(env, 21);
  expect(await tested(third)).toMatchObject({ status: 'failed', result: 'no process with SIP has asked it' });
  await createCarrier(env, { name: 'sends only' });
  await expect(requestCarrierTest(byBootstrap(env), { name: 'sends only' })).rejects.toThrow('has no host');
});

test('what nobody asks any more is not held against a carrier', async () => {
  const { env, clock } = world.world;
  await createCarrier(env, { name: 'dead', host: '127.0.0.1', port: await closedPort(), transport: 'tcp' });
  await createCarrier(env, { name: 'other', host: '127.0.0.1', enabled: true });
  for (const [priority, carrier] of ['dead', 'other'].entries())
    await addRoute(env, { carrier, prefix: '49', priority, weight: 1 });
  await env.pool.query(
    `insert into sip_peers (carrier_id, state, since, checked_at) select id, 'down', $1, $1 from carriers where name = 'dead'`,
    [clock.now()],
  );
  const first = async () => (await createRouteFinder(env)('4930123', null))[0]?.carrier.name;
  expect(await first()).toBe('other');
  clock.advance(11 * 60);
  expect(await first()).toBe('dead');
});

test('a peer that speaks no TLS is down for that reason', async () => {
  const { env } = world.world;
  const plain = createServer((socket) => socket.on('error', () => undefined).end('SIP/2.0 400 Bad Request\r\n\r\n'));
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  const { port } = plain.address() as AddressInfo;
  await createCarrier(env, { name: 'plain', host: '127.0.0.1', port, transport: 'tls' });
  await check();
  const { state, response } = (await health('carrier')).plain ?? {};
  expect([state, response]).toEqual(['down', expect.stringMatching(/^TLS handshake failed: /)]);
  plain.close();
});

test('an answer of 503 is down, one of 404 or 501 is up', async () => {
  const { env } = world.world;
  const statuses = ['503 Service Unavailable', '404 Not Found', '501 Not Implemented'];
  const sockets = await Promise.all(statuses.map(answering));
  for (const [index, name] of statuses.entries())
    await createCarrier(env, { name, host: '127.0.0.1', port: sockets[index]?.address().port ?? 0 });
  await check();
  const found = await health('carrier');
  expect(statuses.map((status) => [found[status]?.state, found[status]?.response])).toEqual(
    statuses.map((status) => [status.startsWith('503') ? 'down' : 'up', status]),
  );
  for (const socket of sockets) socket.close();
});

test('trunks: by host, by registration, not allowed; PSTN trunks are not asked', async () => {
  const { env, clock } = world.world;
  const phone = await world.phone();
  const accountId = await world.telephony.account();
  const registering = {
    enabled_sip_registration: true,
    incoming_auth_username: 'pbx',
    incoming_auth_password: 'x',
    host: null,
  };
  await world.telephony.trunk(accountId, { name: 'host' }, { host: '127.0.0.1', port: phone.port });
  await world.telephony.trunk(accountId, { name: 'public' }, { host: '1.1.1.1' });
  const trunkId = await world.telephony.trunk(accountId, { name: 'registering' }, registering);
  await world.telephony.pstnTrunk(accountId, '4930123456');
  expect(await check()).toBe(3);
  const found = await health('trunk');
  expect(Object.values(found).map(({ name, state, response }) => [name, state, response])).toEqual([
    ['public', 'down', 'calls to this address are not allowed'],
    ['registering', 'down', 'not registered'],
    ['host', 'up', '200 OK'],
  ]);
  const source = { transport: 'UDP', address: '127.0.0.1', port: phone.port, connection: 0 };
  const expiresAt = clock.now().getTime() + 60_000;
  const uri = `sip:pbx@127.0.0.1:${phone.port}`;
  const binding = { uri, source, path: [], expiresAt, priority: 1, callId: 'r', sequence: 1 };
  await env.pool.query('insert into sip_registrations values ($1, $2, $3, $4, $5)', [
    ...['pbx', trunkId, JSON.stringify([binding]), new Date(expiresAt), clock.now()],
  ]);
  clock.advance(15);
  await check();
  expect((await health('trunk')).registering).toMatchObject({ state: 'up', response: '200 OK' });
});

test('each peer is asked by one process, and who asks us is noted', async () => {
  const { env, clock } = world.world;
  const phone = await world.phone();
  await createCarrier(env, { name: 'one', host: '127.0.0.1', port: phone.port });
  await createCarrier(env, { name: 'only calls us', addresses: ['198.51.100.0/24'] });
  const accountId = await world.telephony.account();
  await world.telephony.trunk(accountId, { name: 'trunk' }, { host: '127.0.0.1', port: phone.port });
  const [first = 0, second = 0] = await Promise.all([check(), check()]);
  expect(first + second).toBe(2);
  checks.heard('198.51.100.7');
  checks.heard('127.0.0.1');
  checks.heard('203.0.113.9');
  await check();
  const carriers = await health('carrier');
  expect([carriers.one?.heard_at, carriers['only calls us']?.heard_at]).toEqual([null, clock.now()]);
  expect(carriers['only calls us']?.state).toBeNull();
  expect((await health('trunk')).trunk?.heard_at).toEqual(clock.now());
});
