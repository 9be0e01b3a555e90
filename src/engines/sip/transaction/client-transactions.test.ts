/** Client transactions against a scripted peer on simulated time: every row of the timer tables. */
import { beforeEach, expect, test } from 'vitest';
import { responseTo } from '../message/build.ts';
import { createBench, peer, request } from './bench.fixture.ts';

let { timers, layer, events, peerInbox, peerWire, user, start, peerSends, peerAnswers, times } = createBench();
beforeEach(() => {
  ({ timers, layer, events, peerInbox, peerWire, user, start, peerSends, peerAnswers, times } = createBench());
});

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
