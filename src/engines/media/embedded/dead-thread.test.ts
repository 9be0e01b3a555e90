/** A thread of the embedded engine that dies, and what must not let one die. */
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { MediaRefused } from '../media-engine.ts';
import { Party, plainLeg } from './party.fixture.ts';
import { openCall, openEngine, openPair } from './world.fixture.ts';

test('the calls of a thread that dies end, its ports are free again, and another thread takes its place', async () => {
  const posted = vi.spyOn(Worker.prototype, 'postMessage');
  const { engine, timers, problems } = openEngine({ ports: { from: 14_000, to: 14_031 }, threads: 2 });
  const [doomed, other] = [await openPair(engine), await openPair(engine)];
  expect(engine.state().parts.map(({ calls }) => calls)).toEqual([1, 1]);
  const [first] = posted.mock.contexts;
  if (!(first instanceof Worker)) throw new Error('no thread was told anything');
  timers.advance(10_000);
  await first.terminate();
  await expect.poll(() => doomed.events.died).toEqual(['A media thread has ended.']);
  expect(problems).toEqual(['A media thread has ended.']);
  expect(other.events.died).toEqual([]);
  await other.alice.isHeardBy(other.bob);
  await doomed.call.close();
  // Its ports rest as those of any call that has ended.
  timers.advance(10_000);
  expect(engine.state().ports).toEqual({ all: 32, free: 28 });
  expect(engine.state().parts.map(({ isUp }) => isUp)).toEqual([true, true]);
  const next = await openPair(engine);
  await next.alice.isHeardBy(next.bob);
  posted.mockRestore();
});

test('a party whose settings cannot be read is refused, and the other calls of its thread go on', async () => {
  const { engine, problems } = openEngine();
  const { alice, bob } = await openPair(engine);
  const { call } = openCall(engine);
  const [odd, usual] = [call.leg('odd', { ...plainLeg, allowedAddresses: ['nowhere'] }), call.leg('usual', plainLeg)];
  const party = await Party.open();
  await expect(call.offer(odd, usual, party.describe())).rejects.toThrow(MediaRefused);
  await alice.isHeardBy(bob);
  expect(problems).toEqual([]);
});
