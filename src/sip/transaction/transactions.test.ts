/** The four state machines against a scripted peer on simulated time: every row of the timer tables. */
import { beforeEach, expect, test } from 'vitest';
import { cancelOf, responseTo } from '../message/build.ts';
import { SipRequest, type SipResponse } from '../message/message.ts';
import { parseMessage } from '../message/parse.ts';
import { serialise } from '../message/serialise.ts';
import { SeededIds } from '../simulation/seeded-ids.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { SimulatedNetwork } from '../simulation/simulated-network.ts';
import { SimulatedTimers } from '../simulation/simulated-timers.ts';
import { ignoreSent, TransportLayer } from '../transport/transport-layer.ts';
import type { Target, TransportName, Wire } from '../transport/wire.ts';
import type { ClientTransaction } from './client-transaction.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { TransactionLayer } from './transaction-layer.ts';

let timers: SimulatedTimers;
let layer: TransactionLayer;
let network: SimulatedNetwork;
/** What the peer received, with the time at which it was received. */
let peerInbox: { at: number; message: SipRequest | SipResponse }[];
let peerWire: Record<'UDP' | 'TCP', Wire>;
let events: string[];
let served: ServerTransaction[];

const us = (transport: TransportName): Target => ({ transport, address: '192.0.2.10', port: 5060 });
const peer = (transport: TransportName): Target => ({ transport, address: '192.0.2.1', port: 5060 });

beforeEach(() => {
  timers = new SimulatedTimers();
  network = new SimulatedNetwork(timers, new SeededRandom(1), { loss: 0, duplicates: 0, delayMs: [0, 0] });
  layer = new TransactionLayer(timers, new SeededIds(new SeededRandom(2)));
  const transport = new TransportLayer(layer, timers);
  for (const name of ['UDP', 'TCP'] as const) {
    transport.attach(network.listen(name, '192.0.2.10', 5060, transport.received), { host: '192.0.2.10' });
  }
  events = [];
  served = [];
  layer.connect(transport, {
    request: (transaction) => void served.push(transaction),
    ack: (request) => void events.push(`ack ${request.cseq.number}`),
    cancelled: () => void events.push('cancelled'),
    unacknowledged: () => void events.push('unacknowledged'),
  });
  peerInbox = [];
  const receive = (bytes: Buffer) => void peerInbox.push({ at: timers.now(), message: parseMessage(bytes) });
  peerWire = {
    UDP: network.listen('UDP', '192.0.2.1', 5060, receive),
    TCP: network.listen('TCP', '192.0.2.1', 5060, receive),
  };
});

function request(method: string, branch = ''): SipRequest {
  const built = new SipRequest(method, 'sip:b@192.0.2.1');
  if (branch !== '') built.headers.add('Via', `SIP/2.0/UDP 192.0.2.1;branch=${branch}`);
  built.headers.add('From', '<sip:a@x>;tag=1');
  built.headers.add('To', '<sip:b@x>');
  built.headers.add('Call-ID', 'c');
  built.headers.add('CSeq', `1 ${method}`);
  return built;
}

const user = {
  response: (response: SipResponse) => void events.push(String(response.status)),
  failed: (cause: string) => void events.push(cause),
};

function start(method: string, transport: 'UDP' | 'TCP'): ClientTransaction {
  const transaction = layer.send(request(method), peer(transport), user);
  timers.advance(0);
  return transaction;
}

function peerSends(message: SipRequest | SipResponse, transport: 'UDP' | 'TCP' = 'UDP'): void {
  peerWire[transport].send(serialise(message), us(transport), ignoreSent);
  timers.advance(0);
}

function peerAnswers(status: number, transport: 'UDP' | 'TCP' = 'UDP'): void {
  const last = peerInbox.findLast(({ message }) => message.isRequest && message.method !== 'ACK')?.message;
  if (!last?.isRequest) throw new Error('nothing to answer');
  peerSends(responseTo(last, status, undefined, 'peer'), transport);
}

const times = (what: string) =>
  peerInbox
    .filter(({ message }) => (message.isRequest ? message.method : String(message.status)) === what)
    .map(({ at }) => at);

test('timer A and B: INVITE is repeated after doubling pauses and given up after 32 s', () => {
  start('INVITE', 'UDP');
  timers.advance(40_000);
  expect(times('INVITE')).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500]);
  expect(events).toEqual(['timeout']);
  expect(layer.size).toBe(0);
});

test('timer E and F: other requests are repeated at most every 4 s', () => {
  start('OPTIONS', 'UDP');
  timers.advance(40_000);
  expect(times('OPTIONS')).toEqual([0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
  expect(events).toEqual(['timeout']);
});

test('timer E after a provisional is 4 s, and the request may still time out', () => {
  start('OPTIONS', 'UDP');
  peerAnswers(100);
  timers.advance(40_000);
  expect(times('OPTIONS').slice(0, 3)).toEqual([0, 500, 4500]);
  expect(events).toEqual(['100', 'timeout']);
});

test.each(['INVITE', 'OPTIONS'])('%s over TCP is sent once, and still given up after 32 s', (method) => {
  start(method, 'TCP');
  timers.advance(40_000);
  expect(times(method)).toEqual([0]);
  expect(events).toEqual(['timeout']);
});

test('a provisional stops repetition of INVITE; ringing may take longer than 32 s', () => {
  start('INVITE', 'UDP');
  peerAnswers(180);
  timers.advance(100_000);
  expect(times('INVITE')).toEqual([0]);
  peerAnswers(183);
  peerAnswers(180);
  expect(events).toEqual(['180', '183', '180']);
});

test('a failure is acknowledged each time it comes for 32 s (timer D), and told once', () => {
  start('INVITE', 'UDP');
  peerAnswers(486);
  timers.advance(1_000);
  peerAnswers(486);
  timers.advance(30_000);
  peerAnswers(486);
  expect(times('ACK')).toEqual([0, 1_000, 31_000]);
  expect(events).toEqual(['486']);
  timers.advance(2_000);
  expect(layer.size).toBe(0);
  peerAnswers(486);
  expect(times('ACK')).toHaveLength(3);
});

test('over TCP a failure is acknowledged once and forgotten at once', () => {
  start('INVITE', 'TCP');
  peerAnswers(486, 'TCP');
  expect([times('ACK').length, layer.size]).toEqual([1, 0]);
});

test('every 2xx of 32 s reaches the user: forks and repetitions (RFC 6026, timer M); no ACK from here', () => {
  start('INVITE', 'UDP');
  peerAnswers(200);
  timers.advance(31_000);
  peerAnswers(200);
  peerAnswers(486);
  timers.advance(1_500);
  peerAnswers(200);
  expect(events).toEqual(['200', '200']);
  expect(times('ACK')).toEqual([]);
  expect(layer.size).toBe(0);
});

test('timer K: repeated final responses of other requests are absorbed', () => {
  start('BYE', 'UDP');
  peerAnswers(200);
  peerAnswers(200);
  expect(layer.size).toBe(1);
  timers.advance(5_000);
  expect(layer.size).toBe(0);
  expect(events).toEqual(['200']);
});

test('a request that cannot be sent fails later, not during the call', () => {
  layer.send(request('OPTIONS'), { transport: 'TCP', address: '192.0.2.77', port: 1 }, user);
  layer.send(request('OPTIONS'), { transport: 'TLS', address: '2001:db8::1', port: 1 }, user);
  expect(events).toEqual([]);
  timers.advance(1);
  expect(events).toEqual(['transport', 'transport']);
});

test('a long request goes over TCP, and by UDP with its timers when the peer takes no TCP (trap 20)', async () => {
  const long = () => {
    const built = request('INVITE');
    built.setBody('text/plain', Buffer.alloc(1_400));
    return built;
  };
  layer.send(long(), peer('UDP'), user);
  timers.advance(1);
  expect(peerInbox.at(-1)?.message.via.transport).toBe('TCP');
  await peerWire.TCP.close();
  layer.send(long(), { ...peer('UDP') }, user);
  timers.advance(600);
  const seen = peerInbox.slice(1).map(({ message }) => message.via.transport);
  expect(seen).toEqual(['UDP', 'UDP']);
});

test('CANCEL has the branch of its INVITE, and the INVITE must end within 32 s', () => {
  const invite = start('INVITE', 'UDP');
  peerAnswers(180);
  layer.cancel(invite, { response: () => undefined, failed: () => undefined }, 'SIP;cause=200');
  timers.advance(0);
  const cancel = peerInbox.findLast(({ message }) => message.isRequest && message.method === 'CANCEL')?.message;
  expect(cancel?.via.parameters.get('branch')).toBe(invite.request.via.parameters.get('branch'));
  expect(cancel?.headers.first('Reason')).toBe('SIP;cause=200');
  timers.advance(32_000);
  expect(events).toEqual(['180', 'timeout']);
});

test('INVITE gets 100 after 200 ms; repetitions get the last provisional', () => {
  peerSends(request('INVITE', 'z9hG4bK1'));
  timers.advance(199);
  expect(times('100')).toEqual([]);
  timers.advance(1);
  expect(times('100')).toEqual([200]);
  served[0]?.reply(180);
  peerSends(request('INVITE', 'z9hG4bK1'));
  expect(times('180')).toHaveLength(2);
  expect(served).toHaveLength(1);
});

test('a quick answer needs no 100', () => {
  peerSends(request('INVITE', 'z9hG4bK1'));
  served[0]?.reply(180);
  timers.advance(1_000);
  expect(times('100')).toEqual([]);
});

test('timer G and H: a failure is repeated until its ACK comes, at most for 32 s', () => {
  peerSends(request('INVITE', 'z9hG4bK1'));
  served[0]?.reply(486);
  timers.advance(40_000);
  expect(times('486')).toEqual([0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
  expect(events).toEqual(['unacknowledged']);
  expect(layer.size).toBe(0);
});

test('timer I: after the ACK repetitions are absorbed for 5 s', () => {
  peerSends(request('INVITE', 'z9hG4bK1'));
  served[0]?.reply(486);
  peerSends(request('ACK', 'z9hG4bK1'));
  peerSends(request('INVITE', 'z9hG4bK1'));
  timers.advance(4_000);
  peerSends(request('ACK', 'z9hG4bK1'));
  expect(times('486')).toEqual([0]);
  timers.advance(1_000);
  expect([layer.size, events.length]).toEqual([0, 0]);
});

test('a 2xx leaves its repetition and ACK to the core; repeated INVITEs are absorbed for 32 s (timer L)', () => {
  peerSends(request('INVITE', 'z9hG4bK1'));
  served[0]?.reply(200);
  peerSends(request('INVITE', 'z9hG4bK1'));
  peerSends(request('ACK', 'z9hG4bK9'));
  expect(times('200')).toHaveLength(1);
  expect(events).toEqual(['ack 1']);
  served[0]?.reply(200);
  served[0]?.reply(486);
  timers.advance(1);
  expect([times('200').length, times('486').length]).toEqual([2, 0]);
  timers.advance(32_000);
  expect(layer.size).toBe(0);
});

test('timer J: other requests are answered again for 32 s, over TCP not at all', () => {
  peerSends(request('BYE', 'z9hG4bK2'));
  peerSends(request('BYE', 'z9hG4bK2'));
  expect(times('200')).toEqual([]);
  served[0]?.reply(200);
  served[0]?.reply(500);
  peerSends(request('BYE', 'z9hG4bK2'));
  expect([times('200').length, served.length]).toEqual([2, 1]);
  timers.advance(32_000);
  expect(layer.size).toBe(0);
  peerSends(request('BYE', 'z9hG4bK3'), 'TCP');
  served[1]?.reply(200);
  expect(layer.size).toBe(0);
});

test('CANCEL is answered here: 200 for a pending INVITE, no effect after its answer, 481 for none', () => {
  const invite = request('INVITE', 'z9hG4bK1');
  peerSends(invite);
  peerSends(cancelOf(invite));
  peerSends(cancelOf(invite));
  expect(events).toEqual(['cancelled']);
  served[0]?.reply(487);
  peerSends(cancelOf(request('INVITE', 'z9hG4bK7')));
  expect([times('200').length, times('487').length, times('481').length]).toEqual([2, 1, 1]);
  const second = request('INVITE', 'z9hG4bK5');
  peerSends(second);
  served[1]?.reply(200);
  peerSends(cancelOf(second));
  expect(events).toEqual(['cancelled']);
});

test('the same branch of another sender is another transaction; RFC 2543 branches are matched by more', () => {
  peerSends(request('OPTIONS', 'z9hG4bK1'));
  const other = request('OPTIONS', 'z9hG4bK1');
  other.headers.set('Via', 'SIP/2.0/UDP 192.0.2.99;branch=z9hG4bK1');
  peerSends(other);
  const old = request('OPTIONS', '1');
  peerSends(old);
  const next = request('OPTIONS', '1');
  next.headers.set('CSeq', '2 OPTIONS');
  peerSends(next);
  peerSends(next);
  expect(served).toHaveLength(4);
});

test('a response with several Vias, or to nothing, is dropped', () => {
  start('OPTIONS', 'UDP');
  const [sent] = peerInbox;
  if (!sent?.message.isRequest) throw new Error('nothing sent');
  const response = responseTo(sent.message, 200);
  response.headers.add('Via', 'SIP/2.0/UDP 203.0.113.1;branch=z9hG4bKother');
  peerSends(response);
  peerSends(responseTo(request('OPTIONS', 'z9hG4bKnone'), 200));
  expect(events).toEqual([]);
});
