/** Calls of customers through carriers, and registrations, over real sockets of loopback. */
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDialers } from '../../../test/support/dialers.ts';
import { createCarrier } from '../voice/carriers/carriers.ts';
import { addRoute } from '../voice/carriers/routes.ts';
import { callingOut } from './calling-out.fixture.ts';
import { createWorld, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.world.env.db
    .insertInto('voice_rates')
    .values({ kind: 'termination', prefix: '49', per_minute: '0.6', country: 'Germany', network: 'Fixed' })
    .execute();
});
afterAll(() => world.close());

test('a customer with credentials calls out: the second carrier takes what the first cannot', async () => {
  const { env } = world.world;
  const [customer, broken, working] = [await world.phone(), await world.phone(), await world.phone()];
  broken.onCall = (call) => call.reject(503);
  for (const [name, phone] of [
    ['broken', broken],
    ['working', working],
  ] as const) {
    await createCarrier(env, { name, host: '127.0.0.1', port: phone.port });
    await addRoute(env, { carrier: name, prefix: '49', priority: name === 'broken' ? 1 : 2, weight: 1 });
  }
  const authentication = { allowed_sip_ips: ['127.0.0.0/8'], tech_prefix: null, username: 'ann', password: 'p' };
  const dialer = await createDialers(world.world, world.telephony)({ authentication: JSON.stringify(authentication) });
  const from = `<sip:+${dialer.number}@127.0.0.1>`;
  customer.dial('4930123456', { from, account: { username: 'ann', password: 'wrong' } });
  await expect.poll(() => customer.events).toEqual(['failed 403']);
  customer.dial('4930123456', { from, account: { username: 'ann', password: 'p' } });
  await expect.poll(() => customer.events).toEqual(['failed 403', '180', 'answered']);
  expect(working.invites[0]?.uri).toBe(`sip:+4930123456@127.0.0.1:${working.port}`);
  expect(working.invites[0]?.headers.first('P-Asserted-Identity')).toContain(`+${dialer.number}@`);
  customer.sessions[0]?.hangUp();
  await expect.poll(() => world.cdrsOut(dialer.accountId)).toMatchObject([{ success: true, carrier_name: 'working' }]);
  expect(await world.eventsByCall(dialer.accountId)).toEqual(['out: start connect end']);
});

test('a nonce that has become too old is replaced: 401 with stale, and the call is placed (trap 22)', async () => {
  const { customer, call, accountId } = await callingOut(world);
  /** By the number of the INVITE: a response may be repeated. */
  const challenges = new Map<string | undefined, string>();
  const stopListening = world.endpoint.taps.add({
    message: ({ direction, bytes }) => {
      const text = bytes.toString();
      if (direction !== 'out' || !text.startsWith('SIP/2.0 401')) return;
      if (challenges.size === 0) world.world.clock.advance(120);
      challenges.set(/CSeq: (\d+)/.exec(text)?.[1], /stale=(\w+)/.exec(text)?.[1] ?? 'false');
    },
  });
  call();
  await expect.poll(() => customer.events).toEqual(['180', 'answered']);
  stopListening();
  expect([...challenges.values()]).toEqual(['false', 'true']);
  customer.sessions[0]?.hangUp();
  await expect.poll(() => world.cdrsOut(accountId)).toMatchObject([{ success: true, disconnect_code: 200 }]);
  expect(await world.eventsByCall(accountId)).toEqual(['out: start connect end']);
});

test('credentials are asked for with MD5 and SHA-256; those of a call place no second one', async () => {
  const { customer, carrier, call, accountId } = await callingOut(world);
  const sent: Buffer[] = [];
  const challenges: string[] = [];
  const stopListening = world.endpoint.taps.add({
    message: ({ direction, bytes }) => {
      const text = bytes.toString();
      if (direction === 'in' && text.startsWith('INVITE ') && text.includes('\r\nAuthorization:'))
        sent.push(Buffer.from(bytes));
      if (direction === 'out' && text.startsWith('SIP/2.0 401')) challenges.push(text);
    },
  });
  call();
  await expect.poll(() => customer.events).toEqual(['180', 'answered']);
  expect(challenges[0]).toMatch(/algorithm=MD5.*algorithm=SHA-256/s);
  customer.sessions[0]?.hangUp();
  await expect.poll(() => world.cdrsOut(accountId)).toHaveLength(1);
  // As it was, and as a call of its own: with another branch, From tag and Call-ID.
  const captured = String(sent[0])
    .replace(/branch=[^;\r]*/, 'branch=z9hG4bKstolen')
    .replace(/(From:.*tag=)\w+/, '$1stolen');
  const socket = createSocket('udp4');
  const heard: string[] = [];
  socket.on('message', (message) => heard.push(message.toString()));
  for (const [count, text] of [captured, captured.replace(/Call-ID: .*/, 'Call-ID: stolen')].entries()) {
    socket.send(text.replace('stolen', `stolen${count}`), world.endpoint.ports.udp ?? 0, '127.0.0.1');
    await expect.poll(() => heard.filter((answer) => answer.startsWith('SIP/2.0 401')).length).toBe(count + 1);
  }
  socket.close();
  stopListening();
  expect(heard.join()).toContain('stale=true');
  expect([carrier.invites.length, (await world.cdrsOut(accountId)).length]).toEqual([1, 1]);
});

test('a phone that gives up when SHA-256 is offered is offered MD5 alone', async () => {
  const { customer, call } = await callingOut(world);
  const challenges: string[] = [];
  const stopListening = world.endpoint.taps.add({
    message: ({ direction, bytes }) => {
      if (direction === 'out' && bytes.toString().startsWith('SIP/2.0 401')) challenges.push(bytes.toString());
    },
  });
  call(undefined, undefined, [['User-Agent', 'baresip v1.0.0 (arm64/Linux)']]);
  await expect.poll(() => customer.events).toEqual(['180', 'answered']);
  stopListening();
  expect(challenges[0]?.match(/algorithm=[\w-]+/g)).toEqual(['algorithm=MD5']);
  customer.sessions[0]?.hangUp();
});
