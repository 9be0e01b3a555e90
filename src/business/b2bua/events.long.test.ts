/**
 * What real calls leave behind: the events in their order with the times of the messages, the CDR, the trace, the
 * refusals.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDialers } from '../../../test/support/dialers.ts';
import { machineTimers } from '../../engines/sip/timers.ts';
import { createCarrier } from '../voice/carriers/carriers.ts';
import { addRoute } from '../voice/carriers/routes.ts';
import type { StoredEvent } from './call-records.fixture.ts';
import { createWorld, sdp, type World } from './world.fixture.ts';

let world: World;
/** Both clocks are moved by the test: that of the environment, and the monotonic one that measures durations. */
let passedMs = 0;
beforeAll(async () => {
  world = await createWorld({ timers: { ...machineTimers, now: () => passedMs } });
});
afterAll(() => world.close());

function pass(seconds: number): void {
  world.world.clock.advance(seconds);
  passedMs += seconds * 1000;
}

const after = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000);
/** To the millisecond; within it the machine's clock counts. */
const shown = (at: Date) => at.toISOString().slice(0, -1);

async function eventsOf(accountId: string, count: number): Promise<StoredEvent[]> {
  await expect.poll(() => world.events(accountId)).toHaveLength(count);
  return world.events(accountId);
}

test('an inbound call: start, connect and end with the times of INVITE, 200 and BYE; the CDR says who called', async () => {
  const { env, clock } = world.world;
  const [caller, trunk] = [await world.phone(), await world.phone()];
  trunk.onCall = (call) => call.progress(180);
  const accountId = await world.telephony.account();
  const trunkId = await world.telephony.trunk(
    accountId,
    {},
    { host: '127.0.0.1', port: trunk.port, codec_ids: [9, 10, 6] },
  );
  const { number } = await world.telephony.did(accountId, { voice_in_trunk_id: trunkId });
  const arrival = clock.now();
  const call = caller.dial(number, { extra: { headers: [['User-Agent', 'Desk Phone 7']], content: sdp() } });
  await expect.poll(() => caller.events).toEqual(['180']);
  pass(4);
  const [ringing] = trunk.calls;
  if (ringing) trunk.answer(ringing);
  await expect.poll(() => caller.events).toEqual(['180', 'answered']);
  await expect.poll(() => trunk.events).toEqual(['ack']);
  pass(61);
  trunk.sessions[0]?.hangUp();
  const events = await eventsOf(accountId, 3);
  expect(events.map(({ body }) => body.type)).toEqual([
    'incoming-call-start-event',
    'incoming-call-connect-event',
    'incoming-call-end-event',
  ]);
  expect(new Set(events.map(({ body }) => body.id)).size).toBe(1);
  const [start, connect, end] = events.map(({ body }) => body.attributes);
  expect(start).toMatchObject({ time_start: expect.stringContaining(shown(arrival)) });
  expect(connect).toMatchObject({ time_connect: expect.stringContaining(shown(after(arrival, 4))) });
  expect(end).toMatchObject({
    time_start: expect.stringContaining(shown(arrival)),
    time_connect: expect.stringContaining(shown(after(arrival, 4))),
    time_end: expect.stringContaining(shown(after(arrival, 65))),
    duration: 61,
  });
  const [cdr] = await world.cdrs(number);
  expect(cdr).toMatchObject({
    ...{ call_id: events[0]?.body.id, attempt: 1, is_last: true, success: true, duration: 61 },
    ...{ disconnect_code: 200, disconnect_initiator: 'Destination', voice_in_trunk_id: trunkId },
    ...{ caller_call_id: call.callId, leg_call_id: trunk.invites[0]?.callId, user_agent: 'Desk Phone 7' },
    ...{ time_start: arrival, time_connect: after(arrival, 4), time_end: after(arrival, 65) },
  });
  await world.voice.recorder.flush();
  const traces = await env.db.selectFrom('call_traces').selectAll().where('account_id', '=', accountId).execute();
  expect(traces).toMatchObject([
    { user_agent: 'Desk Phone 7', leg_call_ids: [call.callId, trunk.invites[0]?.callId], state: 'ended' },
  ]);
});

test('rerouted and cancelled: one start, one end, one CDR for each attempt with its own times', async () => {
  const { clock } = world.world;
  const [caller, busy, ringing] = [await world.phone(), await world.phone(), await world.phone()];
  busy.onCall = (call) => call.progress(180);
  ringing.onCall = (call) => call.progress(180);
  const { number, accountId } = await world.number([busy.port, ringing.port]);
  const arrival = clock.now();
  const call = caller.dial(number);
  await expect.poll(() => busy.calls.length).toBe(1);
  pass(2);
  busy.calls[0]?.reject(486);
  await expect.poll(() => ringing.calls.length).toBe(1);
  await expect.poll(() => caller.events).toEqual(['180', '180']);
  pass(3);
  call.cancel();
  await expect.poll(() => world.cdrs(number)).toHaveLength(2);
  expect(await world.cdrs(number)).toMatchObject([
    { attempt: 1, is_last: false, disconnect_code: 486, time_start: arrival, time_end: after(arrival, 2) },
    { attempt: 2, is_last: true, disconnect_code: 487, time_start: after(arrival, 2), time_end: after(arrival, 5) },
  ]);
  const events = await eventsOf(accountId, 2);
  expect(await world.eventsByCall(accountId)).toEqual(['in: start end']);
  expect(events[1]?.body.attributes).toMatchObject({
    time_start: expect.stringContaining(shown(arrival)),
    time_end: expect.stringContaining(shown(after(arrival, 5))),
  });
});

test('an outbound call: its events, its CDR with caller, carrier and billed seconds', async () => {
  const { env, clock } = world.world;
  const [customer, carrier] = [await world.phone(), await world.phone()];
  await env.db
    .insertInto('voice_rates')
    .values({ kind: 'termination', prefix: '49', per_minute: '0.6', country: 'Germany', network: 'Fixed' })
    .execute();
  await createCarrier(env, { name: 'Out', host: '127.0.0.1', port: carrier.port });
  await addRoute(env, { carrier: 'Out', prefix: '49', priority: 1, weight: 1 });
  const authentication = { allowed_sip_ips: ['127.0.0.0/8'], tech_prefix: null, username: 'eve', password: 'p' };
  const dialer = await createDialers(world.world, world.telephony)({ authentication: JSON.stringify(authentication) });
  const arrival = clock.now();
  const call = customer.dial('4930123456', {
    ...{ from: `<sip:+${dialer.number}@127.0.0.1>`, account: { username: 'eve', password: 'p' } },
    extra: { headers: [['User-Agent', 'PBX 2']], content: sdp() },
  });
  await expect.poll(() => carrier.events).toEqual(['ack']);
  pass(30);
  customer.sessions[0]?.hangUp();
  await expect.poll(() => world.cdrsOut(dialer.accountId)).toHaveLength(1);
  expect(await world.cdrsOut(dialer.accountId)).toMatchObject([
    {
      ...{ leg_call_id: call.callId, user_agent: 'PBX 2', carrier_name: 'Out', success: true },
      ...{ duration: 30, billing_duration: 30, price: '0.3000', time_start: arrival, time_end: after(arrival, 30) },
    },
  ]);
  expect(await world.eventsByCall(dialer.accountId)).toEqual(['out: start connect end']);
});

test('a REGISTER with wrong credentials is among the refusals, with its source and a sample without secrets', async () => {
  const { env } = world.world;
  const { udp } = world.endpoint.ports;
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const ask = async (authorization: string): Promise<string> => {
    const lines = [
      'REGISTER sip:127.0.0.1 SIP/2.0',
      `Via: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bK${authorization.length};rport`,
      ...['From: <sip:guess@127.0.0.1>;tag=1', 'To: <sip:guess@127.0.0.1>', 'Call-ID: guess-1'],
      ...[`CSeq: ${authorization.length + 1} REGISTER`, 'Contact: <sip:guess@127.0.0.1>', 'Max-Forwards: 70'],
      ...['User-Agent: friendly-scanner', ...(authorization ? [authorization] : []), 'Content-Length: 0', '', ''],
    ];
    socket.send(lines.join('\r\n'), udp, '127.0.0.1');
    return String((await once(socket, 'message'))[0]);
  };
  const challenge = await ask('');
  expect(challenge).toMatch(/^SIP\/2\.0 401/);
  const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1];
  const digest = `username="guess", realm="trunkline", nonce="${nonce}", uri="sip:127.0.0.1", qop=auth, nc=00000001, cnonce="c"`;
  const response = '0'.repeat(32);
  expect(await ask(`Authorization: Digest ${digest}, response="${response}"`)).toMatch(/^SIP\/2\.0 403 Unknown user/);
  socket.close();
  expect(world.refused.at(-1)).toMatchObject({
    ...{ method: 'REGISTER', code: 403, reason: 'wrong_credentials', userAgent: 'friendly-scanner' },
  });
  await world.voice.recorder.flush();
  const stored = await env.db.selectFrom('call_refusals').selectAll().where('source', '=', '127.0.0.1').execute();
  const registration = stored.find(({ rule }) => rule === 'register_wrong_credentials');
  expect(registration).toMatchObject({ count: 1, disconnect_code: 403, account_id: null });
  expect(registration?.sample).toMatch(/^REGISTER sip:127\.0\.0\.1 SIP\/2\.0/);
  expect(registration?.sample).not.toContain(response);
});
