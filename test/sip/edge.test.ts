/**
 * A real Kamailio with the generated configuration, in front of two SIP endpoints that stand for workers: distribution,
 * requests within calls, the true source, failover, registrations, floods; and media through a real rtpengine.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SipEndpoint } from '../../src/business/b2bua/endpoint.ts';
import type { Peer } from '../../src/engines/sip/transport/wire.ts';
import { exchange, openSocket } from '../support/datagrams.ts';
import { type Edge, startEdge, startRtpengine } from '../support/edge.ts';
import { createTestEnvironment } from '../support/environment.ts';
import { answer, openPeer, type Placed, placeCall } from '../support/sip-peers.ts';
import { useOpened } from '../support/use.ts';

const house = useOpened(() => createTestEnvironment());

interface Worker {
  endpoint: SipEndpoint;
  /** Sources of its calls, and how often one of them ended. */
  sources: Peer[];
  registered: { path: string[]; contact: string }[];
  ended: number;
}

/** Answers every call with the media at `mediaPort`. */
async function openWorker(mediaPort = 40_000): Promise<Worker> {
  const worker: Worker = { endpoint: await openPeer(house.env), sources: [], registered: [], ended: 0 };
  worker.endpoint.takeCalls({
    call: (call) => {
      worker.sources.push(worker.endpoint.sources.of(call.transaction));
      answer(call, mediaPort, () => {
        worker.ended += 1;
      });
    },
    request: (transaction) => {
      const { headers } = transaction.request;
      worker.registered.push({ path: headers.all('Path'), contact: headers.first('Contact') ?? '' });
      transaction.reply(200);
    },
  });
  return worker;
}

const call = (from: SipEndpoint, edge: Edge, mediaPort?: number): Promise<Placed> =>
  placeCall(from, edge.port, '4420', mediaPort);

let workers: [Worker, Worker];
let caller: SipEndpoint;
let edge: Edge;

beforeAll(async () => {
  workers = [await openWorker(), await openWorker()];
  caller = await openPeer(house.env);
  edge = await startEdge({
    workers: workers.map(({ endpoint }) => `127.0.0.1:${endpoint.ports.udp}`),
    requestsPerSource: 400,
  });
});
afterAll(async () => {
  await edge?.stop();
  for (const endpoint of [caller, ...workers.map((worker) => worker.endpoint)]) await endpoint.stop();
});

const taken = (): number[] => workers.map(({ sources }) => sources.length);

test('calls reach both workers with their true source, and a BYE the one that carries the call', async () => {
  const placed = await Promise.all(Array.from({ length: 20 }, () => call(caller, edge)));
  const [first, second] = taken();
  expect([(first ?? 0) > 0, (second ?? 0) > 0, (first ?? 0) + (second ?? 0)]).toEqual([true, true, 20]);
  for (const { sources } of workers) {
    for (const source of sources) {
      expect(source).toEqual({ transport: 'UDP', address: '127.0.0.1', port: caller.ports.udp });
    }
  }
  for (const { session } of placed) session.hangUp();
  await expect.poll(() => workers.map(({ ended }) => ended)).toEqual([first, second]);
});

test('a registration carries the way back through the edge', async () => {
  const contact = `<sip:phone@127.0.0.1:${caller.ports.udp}>`;
  const request = [
    `REGISTER sip:127.0.0.1:${edge.port} SIP/2.0`,
    'Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bKregister;rport',
    'From: <sip:phone@127.0.0.1>;tag=1',
    'To: <sip:phone@127.0.0.1>',
    'Call-ID: register-1',
    'CSeq: 1 REGISTER',
    `Contact: ${contact}`,
    'Max-Forwards: 70',
    'Content-Length: 0',
  ];
  const response = await exchange(edge.port, `${request.join('\r\n')}\r\n\r\n`, 60_000);
  expect(response).toMatch(/^SIP\/2\.0 200/);
  const [registered] = workers.flatMap((worker) => worker.registered);
  expect(registered?.contact).toBe(contact);
  expect(registered?.path.join()).toMatch(
    new RegExp(`^<sip:127\\.0\\.0\\.1:${edge.port};lr;received=sip:127\\.0\\.0\\.1:\\d+`),
  );
});

test('a worker that stops gets no new calls, one that is dead neither; nobody left is 503', async () => {
  const [stopping, staying] = workers;
  const before = taken();
  stopping.endpoint.drain();
  const placed = await Promise.all(Array.from({ length: 10 }, () => call(caller, edge)));
  expect(taken()).toEqual([before[0], (before[1] ?? 0) + 10]);
  await stopping.endpoint.stop();
  const later = await Promise.all(Array.from({ length: 10 }, () => call(caller, edge)));
  expect(taken()).toEqual([before[0], (before[1] ?? 0) + 20]);
  for (const { session } of [...placed, ...later]) session.hangUp();
  await expect.poll(() => staying.ended).toBe(taken()[1]);
  staying.endpoint.drain();
  await expect(call(caller, edge)).rejects.toThrow('503');
});

test('media go through rtpengine in both directions, and end with the call', async () => {
  const [near, far] = [await openSocket(), await openSocket()];
  const rtpengine = await startRtpengine();
  const worker = await openWorker(far.port);
  const anchored = await startEdge({
    workers: [`127.0.0.1:${worker.endpoint.ports.udp}`],
    rtpengine: rtpengine.control,
  });
  try {
    const { session, sdp } = await call(caller, anchored, near.port);
    const toFar = Number(/m=audio (\d+)/.exec(sdp)?.[1]);
    expect(toFar).not.toBe(far.port);
    const rtp = (sequence: number, mark: string): Buffer => {
      const header = Buffer.from([0x80, 8, 0, sequence, 0, 0, 0, sequence, 0, 0, 0, 1]);
      return Buffer.concat([header, Buffer.from(mark.repeat(40))]);
    };
    const hears = (socket: { received: Buffer[] }, mark: string): boolean =>
      socket.received.some((packet) => packet.toString('latin1').includes(mark));
    let sequence = 0;
    await expect
      .poll(() => {
        sequence += 1;
        near.socket.send(rtp(sequence, 'near'), toFar, '127.0.0.1');
        return hears(far, 'near');
      })
      .toBe(true);
    await expect
      .poll(() => {
        sequence += 1;
        far.socket.send(rtp(sequence, 'back'), far.senders.at(-1) ?? 0, '127.0.0.1');
        return hears(near, 'back');
      })
      .toBe(true);
    session.hangUp();
    await expect.poll(() => worker.ended).toBe(1);
  } finally {
    await anchored.stop();
    await rtpengine.stop();
    await worker.endpoint.stop();
    near.socket.close();
    far.socket.close();
  }
});
