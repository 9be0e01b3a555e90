/**
 * Phones behind NAT that have registered through a real Kamailio edge, called by two workers on one database; with and
 * without media through a real rtpengine.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SipEndpoint } from '../../src/business/b2bua/endpoint.ts';
import { Switchboard } from '../../src/business/b2bua/switchboard.ts';
import { voiceOf } from '../../src/business/voice/voice.ts';
import { openSocket } from '../support/datagrams.ts';
import { type Edge, startEdge, startRtpengine } from '../support/edge.ts';
import { createTestEnvironment } from '../support/environment.ts';
import { type HiddenPhone, registerHiddenPhone } from '../support/hidden-phone.ts';
import { openPeer, placeCall } from '../support/sip-peers.ts';
import { createTelephony, type Telephony } from '../support/telephony.ts';
import { useOpened } from '../support/use.ts';

const house = useOpened(() => createTestEnvironment());

let telephony: Telephony;
let workers: { endpoint: SipEndpoint; switchboard: Switchboard }[];
let caller: SipEndpoint;
let edge: Edge;
let rtpengine: Awaited<ReturnType<typeof startRtpengine>>;
let anchored: Edge;
const phones: HiddenPhone[] = [];

beforeAll(async () => {
  telephony = await createTelephony(house.env);
  const voice = await voiceOf(house.env);
  workers = [];
  for (let index = 0; index < 2; index++) {
    const endpoint = await openPeer(house.env);
    const switchboard = new Switchboard(endpoint, voice);
    endpoint.takeCalls(switchboard);
    workers.push({ endpoint, switchboard });
  }
  caller = await openPeer(house.env);
  const places = workers.map(({ endpoint }) => `127.0.0.1:${endpoint.ports.udp}`);
  edge = await startEdge({ workers: places, requestsPerSource: 4_000 });
  rtpengine = await startRtpengine();
  anchored = await startEdge({ workers: places, requestsPerSource: 4_000, rtpengine: rtpengine.control });
});
afterAll(async () => {
  for (const phone of phones) await phone.close();
  for (const { switchboard, endpoint } of workers ?? []) {
    switchboard.stop();
    await endpoint.stop();
  }
  await caller?.stop();
  for (const one of [edge, anchored, rtpengine]) await one?.stop();
  await (await voiceOf(house.env)).stop();
});

/** A number whose calls ring phones that have registered through this edge, one for each transport. */
async function numberOf(
  through: Edge,
  username: string,
  transports: readonly ('UDP' | 'TCP')[] = ['UDP'],
): Promise<{ number: string; rung: HiddenPhone[] }> {
  const accountId = await telephony.account();
  const password = 'a-long-password';
  const credentials = { incoming_auth_username: username, incoming_auth_password: password };
  const trunk = await telephony.trunk(accountId, {}, { host: null, enabled_sip_registration: true, ...credentials });
  const { number } = await telephony.did(accountId, { voice_in_trunk_id: trunk, channels_included_count: 20 });
  const rung: HiddenPhone[] = [];
  for (const transport of transports) {
    rung.push(await registerHiddenPhone(through.port, { username, password, transport }));
  }
  phones.push(...rung);
  return { number, rung };
}

test('a phone behind NAT is rung by either worker, gets ACK and BYE where its packets came from, and hangs up itself', async () => {
  const { number, rung } = await numberOf(edge, 'hidden-1');
  const [phone] = rung;
  const placed = [];
  // Each call has its own Call-ID, which chooses its worker.
  for (let call = 0; call < 8; call++) placed.push(await placeCall(caller, edge.port, number));
  expect(workers.map(({ switchboard }) => switchboard.size > 0)).toEqual([true, true]);
  await expect.poll(() => phone?.events.filter((event) => event === 'ACK').length).toBe(8);
  for (const { session } of placed.slice(0, 4)) session.hangUp();
  await expect.poll(() => phone?.events.filter((event) => event === 'ended remote').length).toBe(4);
  for (const session of phone?.sessions ?? []) session.hangUp();
  await expect.poll(() => workers.map(({ switchboard }) => switchboard.size)).toEqual([0, 0]);
});

test('two phones behind NAT ring together, over UDP and over TCP; who does not answer is cancelled', async () => {
  const { number, rung } = await numberOf(edge, 'hidden-3', ['UDP', 'TCP']);
  const [one, other] = rung;
  if (one === undefined || other === undefined) throw new Error('two phones have registered');
  for (const [answers, waits] of [
    [one, other],
    [other, one],
  ] as const) {
    waits.onCall = (call) => call.progress(180);
    answers.onCall = (call) => {
      call.progress(180);
      // The other one rings first.
      void expect
        .poll(() => waits.calls.length)
        .toBe(answers.calls.length)
        .then(() => answers.answer(call));
    };
    waits.events.length = 0;
    answers.events.length = 0;
    const { session } = await placeCall(caller, edge.port, number);
    await expect.poll(() => answers.events).toContain('ACK');
    await expect.poll(() => waits.events).toEqual(['cancelled']);
    session.hangUp();
    await expect.poll(() => answers.events).toContain('ended remote');
  }
  await expect.poll(() => workers.map(({ switchboard }) => switchboard.size)).toEqual([0, 0]);
});

test('with rtpengine the caller and a phone behind NAT hear each other', async () => {
  const near = await openSocket();
  try {
    const { number, rung } = await numberOf(anchored, 'hidden-2');
    const [phone] = rung;
    const { session, sdp } = await placeCall(caller, anchored.port, number, near.port);
    expect(sdp).not.toContain('10.99.0.5');
    expect(phone?.offer).not.toContain(`m=audio ${near.port} `);
    let sequence = 0;
    const packet = (mark: string): Buffer => {
      sequence += 1;
      const header = Buffer.from([
        0x80,
        8,
        sequence >> 8,
        sequence & 255,
        0,
        0,
        sequence >> 8,
        sequence & 255,
        0,
        0,
        0,
        1,
      ]);
      return Buffer.concat([header, Buffer.from(mark.repeat(40))]);
    };
    const hears = (received: readonly Buffer[], mark: string): boolean =>
      received.some((bytes) => bytes.toString('latin1').includes(mark));
    await expect
      .poll(
        () => {
          near.socket.send(packet('near'), Number(/m=audio (\d+)/.exec(sdp)?.[1]), '127.0.0.1');
          phone?.speak(packet('back'));
          return [hears(phone?.heard ?? [], 'near'), hears(near.received, 'back')];
        },
        { timeout: 120_000 },
      )
      .toEqual([true, true]);
    session.hangUp();
    await expect.poll(() => phone?.events).toContain('ended remote');
  } finally {
    near.socket.close();
  }
});
