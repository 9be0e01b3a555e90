/** Phones that come by WebSocket (RFC 7118): registered, called, calling, and gone. */
import JsSIP from 'jssip';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endSession, sessionOf } from '../../../test/support/phone-session.ts';
import { Registration } from '../../engines/sip/registrar/registration.ts';
import { createHttpServer } from '../../interfaces/server/http-server.ts';
import { phoneCredentials } from '../voice/phone-credentials.ts';
import { callingOut } from './calling-out.fixture.ts';
import { createWorld, type Phone, type World } from './world.fixture.ts';

let world: World;
let url: string;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  world = await createWorld();
  const env = { ...world.world.env, sip: { endpoint: world.endpoint } };
  const app = await createHttpServer(env, { rooms: [], trustedProxies: ['127.0.0.1'] });
  url = `${(await app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')}/sip`;
  closing.push(() => app.close());
});
afterAll(async () => {
  await world.close();
  for (const close of closing) await close();
});

let trunks = 0;

/** A number at a trunk that waits for registrations. */
async function waitingNumber() {
  const username = `web${++trunks}`;
  const account = { username, password: 'long enough' };
  const waiting = { host: null, enabled_sip_registration: true, incoming_auth_username: username };
  const { accountId, number } = await world.number([0], { ...waiting, incoming_auth_password: account.password });
  const { rows } = await world.world.env.pool.query('select id from voice_in_trunks where account_id = $1', [
    accountId,
  ]);
  return { number, account, accountId, trunkId: String(rows[0].id) };
}

const webPhone = (headers: Readonly<Record<string, string>> = {}) => world.phone({ webSocket: { url, headers } });

async function register(phone: Phone, account: { username: string; password: string }) {
  const target = { transport: 'WS', address: '127.0.0.1', port: Number(new URL(url).port) } as const;
  const options = { registrar: 'sip:127.0.0.1', addressOfRecord: `sip:${account.username}@127.0.0.1`, target, account };
  const ended = Promise.withResolvers<number>();
  const registration = new Registration(
    phone.agent,
    { ...options, expires: 600 },
    { registered: () => ended.resolve(200), failed: (status) => ended.resolve(status) },
  );
  registration.start();
  return ended.promise;
}

const storedContacts = async (username: string) => {
  const { rows } = await world.world.env.pool.query('select bindings from sip_registrations where username = $1', [
    username,
  ]);
  return rows.flatMap(({ bindings }) => bindings);
};

test('it registers, is called over its connection, and hangs up', async () => {
  const { number, account } = await waitingNumber();
  const [phone, caller] = [await webPhone(), await world.phone()];
  expect(await register(phone, account)).toBe(200);
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  const [invite] = phone.invites;
  expect(invite?.headers.first('Via')).toMatch(/^SIP\/2\.0\/WS /);
  expect(invite?.headers.first('Contact')).toContain('transport=ws');
  phone.sessions[0]?.hangUp();
  await expect.poll(() => caller.events).toContain('ended remote');
  expect(world.switchboard.size).toBe(0);
});

test('JsSIP registers, and leaves', async () => {
  const { account } = await waitingNumber();
  const agent = new JsSIP.UA({
    sockets: [new JsSIP.WebSocketInterface(url)],
    uri: `sip:${account.username}@127.0.0.1`,
    password: account.password,
    register_expires: 600,
  });
  const registered = new Promise((resolve) => agent.once('registered', resolve));
  agent.start();
  await registered;
  expect(await storedContacts(account.username)).toMatchObject([{ source: { transport: 'WS' } }]);
  agent.stop();
  await expect.poll(() => storedContacts(account.username)).toEqual([]);
});

test('its contact ends with its connection; the next call says at once that nobody is registered', async () => {
  const { number, account } = await waitingNumber();
  const [phone, caller] = [await webPhone(), await world.phone()];
  await register(phone, account);
  expect(await storedContacts(account.username)).toMatchObject([{ source: { transport: 'WS' } }]);
  await phone.close();
  await expect.poll(() => storedContacts(account.username)).toEqual([]);
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['failed 480']);
});

test('a call ends at once with the connection of the one who is called, rings in vain or calls', async () => {
  const { number, account } = await waitingNumber();
  const [phone, caller] = [await webPhone(), await world.phone()];
  await register(phone, account);
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  await phone.close();
  await expect.poll(() => caller.events).toContain('ended remote');
  await expect.poll(() => storedContacts(account.username)).toEqual([]);

  const ringing = await webPhone();
  ringing.onCall = (call) => call.progress(180);
  await register(ringing, account);
  const second = await world.phone();
  second.dial(number);
  await expect.poll(() => second.events).toContain('180');
  await ringing.close();
  await expect.poll(() => second.events.at(-1)).toBe('failed 503');
  expect(world.switchboard.size).toBe(0);
});

test('whoever calls and closes the connection has hung up, also before the answer', async () => {
  const calling = await webPhone();
  const dialer = await callingOut(world, { customer: calling });
  const sessionId = await sessionOf(world.world.env, dialer.accountId);
  const account = phoneCredentials(world.world.env, { direction: 'out', trunkId: dialer.trunkId, sessionId });
  const from = `<sip:+${dialer.number}@127.0.0.1>`;
  const abroad = `${dialer.prefix}123456`;
  const another = await webPhone();
  calling.dial(abroad, { from, account });
  await expect.poll(() => calling.events).toContain('answered');
  dialer.carrier.onCall = (call) => call.progress(180);
  another.dial(abroad, { from, account });
  await expect.poll(() => another.events).toContain('180');
  await Promise.all([calling.close(), another.close()]);
  await expect.poll(() => dialer.carrier.events.toSorted()).toEqual(['ack', 'cancelled', 'ended remote']);
  await expect.poll(() => world.cdrsOut(dialer.accountId)).toMatchObject([{}, {}]);
  expect(world.switchboard.size).toBe(0);
});

test('with the session of the panel end the connections that used its credentials, their calls, and no others', async () => {
  const { number, trunkId, accountId } = await waitingNumber();
  const { env } = world.world;
  const [sessionId, other] = [await sessionOf(env, accountId), await sessionOf(env, accountId)];
  const [phone, kept, caller] = [await webPhone(), await webPhone(), await world.phone()];
  expect(await register(phone, phoneCredentials(env, { direction: 'in', trunkId, sessionId }))).toBe(200);
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(await register(kept, phoneCredentials(env, { direction: 'in', trunkId, sessionId: other }))).toBe(200);
  await endSession(env, sessionId);
  await expect.poll(() => caller.events).toContain('ended remote');
  const next = await world.phone();
  next.dial(number);
  await expect.poll(() => next.events).toContain('answered');
  expect([phone.invites.length, kept.invites.length]).toEqual([1, 1]);
  kept.sessions[0]?.hangUp();
});

test('a contact whose process has died is refused at once, and the next phone rings', async () => {
  const { number, account } = await waitingNumber();
  const [phone, caller] = [await webPhone(), await world.phone()];
  await register(phone, account);
  const [own] = await storedContacts(account.username);
  const dead = { ...own, uri: 'sip:gone@gone.invalid;transport=ws', source: { ...own.source, connection: 1 } };
  await world.world.env.pool.query('update sip_registrations set bindings = $2 where username = $1', [
    account.username,
    JSON.stringify([dead, own]),
  ]);
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  phone.sessions[0]?.hangUp();
});

test('it calls out with the credentials of its trunk, and is no carrier without them', async () => {
  const phone = await webPhone();
  // The trunk knows its customer by the address alone, which over a WebSocket says nothing.
  const dialer = await callingOut(world, { customer: phone, trunk: { authentication_type: 'ip_only' } });
  const { carrier, carrierName } = dialer;
  const { number } = await waitingNumber();
  const abroad = `4${1000 + Number(carrierName.replace('carrier ', ''))}123456`;
  const from = `<sip:+${dialer.number}@127.0.0.1>`;
  // From loopback the sandbox takes a call for a number of its own as one of a carrier.
  for (const dialled of [number, abroad]) phone.dial(dialled, { from });
  await expect.poll(() => phone.events).toEqual(['failed 401', 'failed 401']);
  const sessionId = await sessionOf(world.world.env, dialer.accountId);
  const account = phoneCredentials(world.world.env, { direction: 'out', trunkId: dialer.trunkId, sessionId });
  phone.dial(abroad, { from, account });
  await expect.poll(() => phone.events).toContain('answered');
  expect(carrier.invites).toHaveLength(1);
  phone.sessions[0]?.hangUp();
  await expect.poll(() => world.cdrsOut(dialer.accountId)).toMatchObject([{ success: true }]);
});

test('wrong passwords are counted by the address that a trusted proxy names', async () => {
  const { account } = await waitingNumber();
  const address = '203.0.113.77';
  const phone = await webPhone({ 'x-forwarded-for': address, 'x-forwarded-proto': 'https' });
  for (let tries = 0; tries < 30; tries++) expect(await register(phone, { ...account, password: 'wrong' })).toBe(403);
  expect(world.endpoint.guard.ignores(address)).toBe(true);
  await expect(webPhone({ 'x-forwarded-for': address })).rejects.toThrow('429');
  expect(world.refused.at(-1)).toMatchObject({ reason: 'wrong_credentials' });
});
