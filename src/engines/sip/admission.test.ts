/** How many calls a second are let in. */
import { expect, test } from 'vitest';
import { Admission } from './admission.ts';
import { SimulatedTimers } from './simulation/simulated-timers.fixture.ts';
import { TokenBucket } from './token-bucket.ts';

const limits = { rate: { perSecond: 100, burst: 20 }, mostInSetup: 1_000, mostWaitMs: 200, mostUnreadMs: 100 };

test('the rate holds over time, with a burst at the beginning', () => {
  const timers = new SimulatedTimers();
  const bucket = new TokenBucket(limits.rate, timers);
  let taken = 0;
  for (let ms = 0; ms < 10_000; ms++) {
    if (bucket.take()) taken++;
    timers.advance(1);
  }
  expect(taken).toBeGreaterThanOrEqual(1_015);
  expect(taken).toBeLessThanOrEqual(1_020);
});

test('twice the rate gets half of its calls refused, and the rest of the burst comes back', () => {
  const timers = new SimulatedTimers();
  const admission = new Admission(limits, timers);
  for (let count = 0; count < 2_000; count++) {
    if (admission.admit() === null) admission.release();
    timers.advance(5);
  }
  expect(admission.refused.rate).toBeGreaterThan(950);
  timers.advance(1_000);
  expect(admission.admit()).toBeNull();
});

test('calls in setup are capped whatever the rate', () => {
  const timers = new SimulatedTimers();
  const admission = new Admission({ ...limits, mostInSetup: 2 }, timers);
  expect([admission.admit(), admission.admit(), admission.admit()]).toEqual([null, null, 'setup']);
  admission.release();
  expect(admission.admit()).toBeNull();
  expect(admission.retryAfter('setup')).toBeGreaterThan(0);
});

test('many calls in setup: another one is refused while the oldest waits too long for its routing, until it is routed', () => {
  const timers = new SimulatedTimers();
  const admission = new Admission({ ...limits, rate: { perSecond: 100, burst: 100 } }, timers);
  for (let count = 0; count < 49; count++) expect(admission.admit()).toBeNull();
  const before = admission.waits();
  timers.advance(500);
  // With few of them each had better wait.
  expect(admission.admit()).toBeNull();
  before();
  const first = admission.waits();
  timers.advance(150);
  expect(admission.admit()).toBeNull();
  const second = admission.waits();
  timers.advance(100);
  expect(admission.admit()).toBe('wait');
  first();
  expect(admission.admit()).toBeNull();
  timers.advance(200);
  expect(admission.admit()).toBe('wait');
  second();
  expect([admission.admit(), admission.refused]).toEqual([null, { rate: 0, setup: 0, wait: 2, unread: 0 }]);
});

test('many calls in setup: another one is refused while messages wait too long to be read', () => {
  let unreadMs = 0;
  const admission = new Admission(
    { ...limits, rate: { perSecond: 100, burst: 100 } },
    new SimulatedTimers(),
    () => unreadMs,
  );
  unreadMs = 101;
  const answers = Array.from({ length: 51 }, () => admission.admit());
  expect([answers.indexOf('unread'), admission.refused.unread]).toEqual([50, 1]);
  unreadMs = 100;
  expect(admission.admit()).toBeNull();
  unreadMs = 101;
  expect(admission.admit()).toBe('unread');
  admission.release();
  admission.release();
  expect(admission.admit()).toBeNull();
});
