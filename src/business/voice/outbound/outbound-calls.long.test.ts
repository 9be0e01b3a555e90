/** Outbound calls from their request to charge, CDR and events. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDialers } from '../../../../test/support/dialers.ts';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { useTelephony } from '../../../../test/support/use-telephony.ts';
import { Secret } from '../../accounts/secret.ts';
import { sealSigningKey } from '../../callbacks/callback-request.ts';
import type { Disconnect } from '../call.ts';
import { Deliverer } from '../events/deliverer.ts';
import { writeStream } from '../events/stream-settings.ts';
import { simulateOutbound } from '../simulate.ts';
import { endCallsOf } from '../worker-lease.ts';
import { placeCall } from './place-call.ts';

const { house, telephony, voice } = useTelephony();
beforeAll(async () => {
  await house.env.db
    .insertInto('voice_rates')
    .values({ kind: 'termination', prefix: '49', per_minute: '0.6', country: 'Germany', network: 'Fixed' })
    .execute();
  await runDueJobs(house.env);
});

const customer = createDialers(house, telephony);

const talk = { code: 200, ring_seconds: 2, talk_seconds: 60 };
const cdrs = (trunkId: string) =>
  house.env.db.selectFrom('cdrs_out').selectAll().where('voice_out_trunk_id', '=', trunkId).execute();
const trunkOf = (id: string) =>
  house.env.db.selectFrom('voice_out_trunks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('a call is charged, has its CDR, and tells three events and a CDR', async () => {
  const { accountId, trunkId, number, request } = await customer();
  for (const stream of ['voice_out_events', 'voice_out_cdr'] as const) {
    await writeStream(house.env, accountId, stream, { url: 'http://127.0.0.1:9/' });
  }
  const done = await simulateOutbound(voice, request, talk);
  if (!('call' in done)) throw new Error(`refused: ${done.refused}`);
  expect(await cdrs(trunkId)).toMatchObject([
    {
      ...{
        src_number: number,
        original_src_number: number,
        dst_number: '7#4930123',
        duration: 60,
        billing_duration: 60,
      },
      ...{
        price: '0.6000',
        rate: '0.600000',
        country: 'Germany',
        network: 'Fixed',
        call_type: 'INTERNATIONAL',
        success: true,
      },
    },
  ]);
  const { balance } = await house.env.db
    .selectFrom('accounts')
    .select('balance')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  expect(balance).toBe('99.4000');
  const events = await house.env.db
    .selectFrom('call_events')
    .select(['stream', 'body'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  const sent = events.map(({ stream, body }) => [stream, JSON.parse(body).type]);
  expect(sent).toEqual([
    ['voice_out_events', 'outbound-call-start-event'],
    ['voice_out_events', 'outbound-call-connect-event'],
    ['voice_out_events', 'outbound-call-end-event'],
    ['voice_out_cdr', 'outbound-cdr'],
  ]);
  expect(JSON.parse(events[0]?.body ?? '').attributes).toEqual({
    ...{
      source_ip: request.sourceIp,
      source_port: 5060,
      call_id: done.call.callId,
      time_start: '2026-06-15T12:00:00.000437+00:00',
    },
    ...{ pop: null, original_src_number: number, src_number: number, dst_number: '7#4930123', trunk_name: 'dialer' },
    ...{ rate: '0.6', initial_billing_interval: 1, next_billing_interval: 1, p_charge_info: null, diversion: [] },
  });
});

test('an event that is committed wakes the lane of its own direction', async () => {
  const { accountId, request } = await customer();
  const receiver = await startReceiver();
  await writeStream(house.env, accountId, 'voice_out_events', { url: receiver.url });
  const deliverer = new Deliverer(house.env);
  const forget = voice.onCommittedEvents((account, stream) => deliverer.wake(account, stream));
  await simulateOutbound(voice, request, talk);
  await expect.poll(() => receiver.received.length).toBe(3);
  forget();
  await Promise.all([deliverer.stop(), receiver.close()]);
});

test('without credentials it is asked for them; the wrong address gets nothing', async () => {
  const { request } = await customer();
  expect(await simulateOutbound(voice, { ...request, digest: null }, talk)).toMatchObject({
    refused: { code: 401, reason: 'challenged' },
  });
  expect(await simulateOutbound(voice, { ...request, sourceIp: '192.0.2.200' }, talk)).toMatchObject({
    refused: { code: 403, reason: 'not_authorized' },
  });
});

test('a Twilio trunk is let in by its account from the networks of Twilio, and from nowhere else', async () => {
  const sid = `AC${'0'.repeat(32)}`;
  const authentication = JSON.stringify({ twilio_account_sid: sid });
  const { request } = await customer({ authentication_type: 'twilio', authentication });
  const from = (sourceIp: string) =>
    simulateOutbound(voice, { ...request, to: '4930123', digest: null, twilioAccountSid: sid, sourceIp }, talk);
  expect(await from('192.0.2.77')).toHaveProperty('call');
  expect(await from('127.0.0.1')).toHaveProperty('call');
  expect(await from('198.51.100.1')).toMatchObject({ refused: { code: 403, reason: 'not_authorized' } });
  const production = { ...voice, env: { ...house.env, name: 'production' as const } };
  const there = { ...request, to: '4930123', digest: null, twilioAccountSid: sid, sourceIp: '127.0.0.1' };
  expect(await simulateOutbound(production, there, talk)).toMatchObject({ refused: { code: 403 } });
});

test('the limit of a trunk is kept by many callers at once, and its end lets everything go', async () => {
  const { request, trunkId } = await customer({ capacity_limit: 3 });
  const placed = await Promise.all(
    Array.from({ length: 12 }, () =>
      placeCall(voice, { ...request, sourcePort: 5060, sourceProtocol: 'UDP', callId: 'x' }),
    ),
  );
  const up = placed.flatMap((each) => ('live' in each ? [each.live] : []));
  expect(up).toHaveLength(3);
  expect(placed.filter((each) => 'code' in each && each.code === 480)).toHaveLength(9);
  for (const live of up)
    await live.end({ code: 487, reason: 'Request Terminated', initiator: 'origination' }, house.clock.now());
  const codes = (await cdrs(trunkId)).map(({ disconnect_code }) => disconnect_code);
  expect(codes.toSorted()).toEqual([...Array<number>(9).fill(480), 487, 487, 487]);
});

test('a call that its trunk may not place has a CDR, and costs nothing', async () => {
  const { accountId, trunkId, request } = await customer({ default_dst_action: 'reject_all' });
  const stream = { account_id: accountId, stream: 'voice_out_cdr' as const, url: 'http://127.0.0.1:9/cdr' };
  await house.env.db.insertInto('call_event_streams').values(stream).execute();
  expect(await simulateOutbound(voice, request, talk)).toMatchObject({
    refused: { code: 403, reason: 'destination_refused' },
  });
  expect(await cdrs(trunkId)).toMatchObject([
    {
      ...{ success: false, duration: 0, time_connect: null, price: '0.0000', dst_number: request.to },
      ...{ disconnect_code: 403, disconnect_reason: 'Destination is not allowed' },
    },
  ]);
  const events = await house.env.db
    .selectFrom('call_events')
    .select('body')
    .where('account_id', '=', accountId)
    .execute();
  expect(events.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'outbound-cdr', attributes: { success: false, time_connect: null, disconnect_code: 403, price: '0.0' } },
  ]);
});

test('reaching the threshold blocks the trunk, tells it, and opens again when the day has passed', async () => {
  const receiver = await startReceiver();
  const { trunkId, request } = await customer({
    threshold_amount: '1',
    callback_url: receiver.url,
    sealed_signing_key: null,
  });

  await house.env.db
    .updateTable('voice_out_trunks')
    .set({ sealed_signing_key: sealSigningKey(house.env, new Secret('a key of sixteen')) })
    .where('id', '=', trunkId)
    .execute();
  await simulateOutbound(voice, request, talk);
  expect(await trunkOf(trunkId)).toMatchObject({ status: 'active', threshold_reached: false });
  await advanceClock(house.env, 3600);
  await simulateOutbound(voice, request, talk);
  expect(await trunkOf(trunkId)).toMatchObject({ status: 'blocked', threshold_reached: true });
  expect(await simulateOutbound(voice, request, talk)).toMatchObject({
    refused: { code: 403, reason: 'threshold_reached' },
  });
  await advanceClock(house.env, 22 * 3600);
  expect(await trunkOf(trunkId)).toMatchObject({ status: 'blocked' });
  await advanceClock(house.env, 3600 + 1);
  expect(await trunkOf(trunkId)).toMatchObject({ status: 'active', threshold_reached: false });
  await receiver.close();
  expect(receiver.received.map(({ body }) => JSON.parse(body)[0])).toMatchObject([
    { id: trunkId, type: 'voice_out_trunks', status: 'blocked', threshold_reached: true },
    { id: trunkId, type: 'voice_out_trunks', status: 'active', threshold_reached: false },
  ]);
});

test('a call rings, has an attempt, and its legs are hung up when another process ends it', async () => {
  const { request, trunkId } = await customer();
  const leg = { sourcePort: 5061, sourceProtocol: 'TLS', callId: 'leg-a@pbx' } as const;
  const placed = await placeCall(voice, { ...request, ...leg });
  if (!('live' in placed)) throw new Error(JSON.stringify(placed));
  const { live } = placed;
  const hungUp: Disconnect[] = [];
  live.carriedBy({ hangUp: (disconnect) => hungUp.push(disconnect) });
  live.ringing();
  const source = { address: request.sourceIp, port: 5061, protocol: 'TLS' };
  expect(live.call).toMatchObject({ state: 'ringing', source, attempts: [{ carrier: null, disconnect: null }] });
  expect(await endCallsOf(house.env, voice.workerId, house.clock.now())).toHaveLength(1);
  await expect.poll(() => hungUp).toMatchObject([{ code: 500, initiator: 'switch' }]);
  // An answer at the same moment comes too late, and the driver is told so.
  expect(await live.answered(house.clock.now())).toBe(false);
  expect(await cdrs(trunkId)).toMatchObject([
    { success: false, disconnect_code: 500, leg_call_id: 'leg-a@pbx', carrier_id: null, carrier_name: null },
  ]);
});

describe('through carriers', () => {
  const leg = { sourcePort: 5060, sourceProtocol: 'UDP', callId: 'leg-a@pbx' } as const;
  const through = (name: string, ...codes: number[]) => ({
    carrier: { id: randomUUID(), name },
    cost: null,
    isRerouted: (code: number) => codes.includes(code),
    host: `${name}.example.net`,
  });

  test('the next is tried where the route allows it, and the CDR names the last', async () => {
    const { request, trunkId } = await customer({ allowed_rtp_ips: ['192.0.2.0/24'] });
    const routes = [through('north', 503), through('south', 503), through('west')];
    const destinations: string[] = [];
    const placed = await placeCall(voice, { ...request, ...leg }, async (destination) => {
      destinations.push(destination);
      return routes;
    });
    if (!('live' in placed)) throw new Error(JSON.stringify(placed));
    const { live, media } = placed;
    expect([destinations, live.target?.host]).toEqual([['4930123'], 'north.example.net']);
    expect(media).toEqual({
      allowedRtpIps: ['192.0.2.0/24'],
      encryptionMode: 'disabled',
      forceSymmetricRtp: false,
      rtpPing: false,
      rtpTimeout: 30,
    });
    live.ringing();
    expect(await live.attemptFailed({ code: 503 }, house.clock.now())).toBe('rerouted');
    expect(live.target?.host).toBe('south.example.net');
    expect(live.call.attempts.map(({ carrier }) => carrier?.name)).toEqual(['north', 'south']);
    expect(new Set(live.call.attempts.map(({ callId }) => callId)).size).toBe(2);
    expect(await live.attemptFailed({ code: 486, reason: 'Busy now' }, house.clock.now())).toBe('ended');
    expect(await cdrs(trunkId)).toMatchObject([
      { disconnect_code: 486, disconnect_reason: 'Busy now', carrier_id: routes[1]?.carrier.id, carrier_name: 'south' },
    ]);
  });

  test('a call to where no carrier goes is refused, after every reason of its own', async () => {
    const { request, trunkId } = await customer();
    const none = async () => [];
    expect(await placeCall(voice, { ...request, ...leg }, none)).toMatchObject({ code: 503, reason: 'no_carrier' });
    const foreign = await placeCall(voice, { ...request, ...leg, from: '15550100' }, none);
    expect(foreign).toMatchObject({ code: 403, reason: 'cli_mismatch' });
    expect((await cdrs(trunkId)).map((cdr) => cdr.disconnect_code).sort()).toEqual([403, 503]);
  });
});
