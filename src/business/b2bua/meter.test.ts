/** When a call asks for more money, and when it is cut. */
import { expect, test } from 'vitest';
import { SimulatedTimers } from '../../engines/sip/simulation/simulated-timers.fixture.ts';
import type { Disconnect } from '../voice/call.ts';
import { cutFor } from '../voice/reservation.ts';
import { Meter } from './meter.ts';

/** A call that has paid for six seconds; `answers` are what it is told when it asks for more. */
function meteredCall(answers: (() => Promise<Disconnect | null>)[]) {
  const timers = new SimulatedTimers();
  const cuts: { at: number; cut: Disconnect }[] = [];
  const asked: number[] = [];
  const call = {
    paidSeconds: 6 as number | null,
    extend: async () => {
      asked.push(timers.now());
      const refused = await (answers.shift() ?? (() => Promise.resolve(null)))();
      if (refused === null) call.paidSeconds = (call.paidSeconds ?? 0) + 6;
      return refused;
    },
  };
  const meter = new Meter(timers, call, 0, (cut) => {
    cuts.push({ at: timers.now(), cut });
    meter.stop();
  });
  /** In steps, after each of which the call's promises settle. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      timers.advance(500);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  };
  return { pass, cuts, asked, call, timers };
}

const noMoney = async () => cutFor('insufficient_balance');

test('asks two seconds before six are over, again until there is money, and is cut to the moment if there is none', async () => {
  const { pass, cuts, asked } = meteredCall([noMoney, async () => null, noMoney, noMoney, noMoney, noMoney]);
  await pass(5_500);
  expect([asked, cuts]).toEqual([[4_000, 5_000], []]);
  await pass(20_000);
  expect(cuts).toEqual([{ at: 12_000, cut: cutFor('insufficient_balance') }]);
});

test.each([
  ['never answers', () => new Promise<null>(() => undefined)],
  ['is away', () => Promise.reject(new Error('away'))],
])('is cut when its money ends although the database %s', async (_, answer) => {
  const { pass, cuts, timers } = meteredCall([answer, answer, answer, answer]);
  await pass(60_000);
  expect(cuts).toEqual([{ at: 6_000, cut: { code: 503, reason: 'The database is away', initiator: 'switch' } }]);
  expect(timers.pending).toBe(0);
});

test('is cut with what the database said last, if it does not answer again in time', async () => {
  const { pass, cuts } = meteredCall([noMoney, () => new Promise<null>(() => undefined)]);
  await pass(6_500);
  expect(cuts).toEqual([{ at: 6_000, cut: cutFor('insufficient_balance') }]);
});

test('an answer that comes too late changes nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<null>();
  const { pass, cuts, timers } = meteredCall([() => promise]);
  await pass(7_000);
  resolve(null);
  await pass(60_000);
  expect(cuts).toHaveLength(1);
  expect(timers.pending).toBe(0);
});
