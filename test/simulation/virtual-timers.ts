/**
 * Timers, the monotonic clock and randomness of this Node process, replaced by those of a simulation: for a process
 * that does nothing else, since they stay replaced. Node's own insides (sockets, HTTP) keep the real ones.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { Events, Owner, Withdrawable } from './events.ts';

/** Which process of the simulation runs at this moment; null for the world around them. */
export const running = new AsyncLocalStorage<Owner>();

const { setTimeout: realTimeout, setImmediate: realImmediate } = globalThis;

/** Lets everything run that waits for nothing outside. */
export const realTurn = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));
export const realPause = (ms: number): Promise<void> => new Promise((resolve) => void realTimeout(resolve, ms));

/** What looks again and again looks this often at most: ten thousand looks at nothing find no fault. */
const shortestIntervalMs = 3_000;

type Callback = (...given: unknown[]) => unknown;

class Timer {
  readonly #plan: () => Withdrawable;
  #planned: Withdrawable;

  constructor(plan: () => Withdrawable) {
    this.#plan = plan;
    this.#planned = plan();
  }

  refresh(): this {
    this.#planned.withdraw();
    this.#planned = this.#plan();
    return this;
  }

  close(): void {
    this.#planned.withdraw();
  }

  ref = (): this => this;
  unref = (): this => this;
  hasRef = (): boolean => true;
  [Symbol.dispose] = (): void => this.close();
}

export function replaceTimers(events: Events): void {
  const begun = events.now;
  const start = (repeats: boolean, callback: Callback, ms = 1, ...given: unknown[]): Timer => {
    const owner = running.getStore() ?? null;
    const inContext = AsyncLocalStorage.snapshot();
    // As Node does: what does not fit into 31 bits is one millisecond.
    const given31 = ms >= 1 && ms < 2 ** 31 ? ms : 1;
    const wait = repeats ? Math.max(shortestIntervalMs, given31) : given31;
    const plan = () =>
      events.plan(wait, `timer of ${Math.round(wait)} ms`, owner, () => {
        if (repeats) timer.refresh();
        inContext(() => callback(...given));
      });
    const timer = new Timer(plan);
    return timer;
  };
  const clear = (timer: unknown): void => {
    if (timer instanceof Timer) timer.close();
  };
  const replaced = {
    setTimeout: (callback: Callback, ms?: number, ...given: unknown[]) => start(false, callback, ms, ...given),
    setInterval: (callback: Callback, ms?: number, ...given: unknown[]) => start(true, callback, ms, ...given),
    clearTimeout: clear,
    clearInterval: clear,
  };
  Object.assign(globalThis, replaced);
  Object.assign(timers, replaced);
  Object.assign(timersPromises, {
    setTimeout: (ms?: number, value?: unknown, options: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const { signal } = options;
        if (signal?.aborted) return reject(signal.reason);
        const timer = start(
          false,
          () => {
            signal?.removeEventListener('abort', abort);
            resolve(value);
          },
          ms,
        );
        const abort = () => {
          timer.close();
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', abort, { once: true });
      }),
  });
  Object.defineProperty(performance, 'now', { value: () => events.now - begun });
  syncBuiltinESMExports();
}

/** Ids, codes and keys of a run are those of its seed. */
export function replaceRandomness(random: SeededRandom): void {
  const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => random.below(256)));
  const hex = (size: number): string => bytes(size).toString('hex');
  Object.defineProperty(Math, 'random', { value: () => random.next() });
  Object.assign(crypto, {
    randomBytes: bytes,
    randomInt: (from: number, to?: number) => (to === undefined ? random.below(from) : from + random.below(to - from)),
    randomUUID: () =>
      `${hex(4)}-${hex(2)}-4${hex(2).slice(1)}-${(8 + random.below(4)).toString(16)}${hex(2).slice(1)}-${hex(6)}`,
  });
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: crypto.randomUUID });
  syncBuiltinESMExports();
}
