/** Server transactions against a scripted peer on simulated time: every row of the timer tables, CANCEL, matching. */
import { beforeEach, expect, test } from 'vitest';
import { cancelOf } from '../message/build.ts';
import { createBench, request } from './bench.fixture.ts';

let { timers, layer, events, served, peerSends, times } = createBench();
beforeEach(() => {
  ({ timers, layer, events, served, peerSends, times } = createBench());
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
