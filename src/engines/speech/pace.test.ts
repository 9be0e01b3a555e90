/** Packets are sent on time, also after late timers. */
import { expect, it } from 'vitest';
import { type MonotonicClock, machineMonotonicClock, sendPaced } from './pace.ts';

const packets = Array.from({ length: 6 }, (_, position) => Uint8Array.of(position));
const never = new AbortController().signal;

/** Wakes up as late as the list says, one wait after another; then in time. */
function clockLateBy(...lateness: number[]) {
  let now = 1000.25;
  return {
    now: () => now,
    wait: async (milliseconds: number) => {
      now += milliseconds + (lateness.shift() ?? 0);
    },
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  } satisfies MonotonicClock & { advance: unknown };
}

/** [packet, milliseconds after the first] … */
async function sentBy(clock: MonotonicClock) {
  const start = clock.now();
  const sent: [number | undefined, number][] = [];
  const count = await sendPaced(packets, ([name]) => sent.push([name, clock.now() - start]), clock, never);
  return { count, sent, ended: clock.now() - start };
}

it('sends a packet every 20 ms, and ends when the last has been played', async () => {
  expect(await sentBy(clockLateBy())).toEqual({
    count: 6,
    sent: [
      [0, 0],
      [1, 20],
      [2, 40],
      [3, 60],
      [4, 80],
      [5, 100],
    ],
    ended: 120,
  });
});

it('keeps to its schedule after timers that were late', async () => {
  const { sent } = await sentBy(clockLateBy(7, 3, 0, 11));
  expect(sent).toEqual([
    [0, 0],
    [1, 27],
    [2, 43],
    [3, 60],
    [4, 91],
    [5, 100],
  ]);
});

it('sends all that is due after a long stall', async () => {
  const { sent } = await sentBy(clockLateBy(45));
  expect(sent).toEqual([
    [0, 0],
    [1, 65],
    [2, 65],
    [3, 65],
    [4, 80],
    [5, 100],
  ]);
});

it('loses no packet to a stall that outlasts the audio', async () => {
  const { count, sent } = await sentBy(clockLateBy(1000));
  expect(count).toBe(6);
  expect(sent.at(-1)).toEqual([5, 1020]);
});

it('waits on when a timer fires too early', async () => {
  const { sent } = await sentBy(clockLateBy(-3));
  expect(sent).toEqual([
    [0, 0],
    [1, 20],
    [2, 40],
    [3, 60],
    [4, 80],
    [5, 100],
  ]);
});

it('counts the time that sending takes', async () => {
  const clock = clockLateBy();
  const times: number[] = [];
  const start = clock.now();
  await sendPaced(
    packets,
    () => {
      times.push(clock.now() - start);
      clock.advance(5);
    },
    clock,
    never,
  );
  expect(times).toEqual([0, 20, 40, 60, 80, 100]);
});

it('stops at once when the call has ended', async () => {
  const hangUp = new AbortController();
  const sent: Uint8Array[] = [];
  const send = (packet: Uint8Array) => {
    sent.push(packet);
    if (sent.length === 3) hangUp.abort();
  };
  expect(await sendPaced(packets, send, clockLateBy(90), hangUp.signal)).toBe(3);
  expect(sent).toHaveLength(3);
  expect(await sendPaced(packets, send, clockLateBy(), hangUp.signal)).toBe(0);
});

it("is driven by the machine's clock, whose waiting ends with the call", async () => {
  const start = performance.now();
  expect(await sendPaced(packets, () => {}, machineMonotonicClock, never)).toBe(6);
  expect(performance.now() - start).toBeGreaterThanOrEqual(120);
  const hangUp = new AbortController();
  const waiting = machineMonotonicClock.wait(1_000_000, hangUp.signal);
  hangUp.abort();
  await expect(waiting).resolves.toBeUndefined();
});
