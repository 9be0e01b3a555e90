/**
 * The range of ports that all relay threads share: a pair of an even port for RTP and the odd one above it for RTCP is
 * taken by one thread at a time, and rests after it was freed, so that late packets of one call never enter the next.
 */

/** What crosses to a thread: memory that all of them see. */
export interface SharedPorts {
  /** The even port of the first pair. */
  first: number;
  states: SharedArrayBuffer;
}

/** Where the time of the timers stands, in milliseconds. */
const timeAt = 0;
const headerWords = 1;

const restMs = 5_000;
const free = 0;

/** A state is `free`, the number of the owner, or, below zero, until when the pair rests. */
export class PortPairs {
  readonly shared: SharedPorts;
  readonly #states: Int32Array;

  /** Throws `RangeError` where the range holds no pair. */
  static ofRange({ from, to }: { from: number; to: number }): PortPairs {
    const first = from + (from % 2);
    const count = Math.floor((to - first + 1) / 2);
    if (count < 1) throw new RangeError(`the ports ${from} to ${to} hold no pair of an even port and the next one`);
    return new PortPairs({ first, states: new SharedArrayBuffer(4 * (headerWords + count)) });
  }

  constructor(shared: SharedPorts) {
    this.shared = shared;
    this.#states = new Int32Array(shared.states);
  }

  get all(): number {
    return this.#states.length - headerWords;
  }

  /** Pairs that may be taken now. */
  get free(): number {
    const now = Atomics.load(this.#states, timeAt);
    let count = 0;
    for (let at = headerWords; at < this.#states.length; at++) if (isFree(Atomics.load(this.#states, at), now)) count++;
    return count;
  }

  /** Returns the even port of a pair that is the owner's from now on; null if there is none. */
  take(owner: number): number | null {
    const now = Atomics.load(this.#states, timeAt);
    // Anywhere: other processes of the machine have ports of the same range, and would have them in a row.
    const begin = Math.floor(Math.random() * this.all);
    for (let step = 0; step < this.all; step++) {
      const pair = (begin + step) % this.all;
      const state = Atomics.load(this.#states, headerWords + pair);
      if (!isFree(state, now)) continue;
      if (Atomics.compareExchange(this.#states, headerWords + pair, state, owner) !== state) continue;
      return this.shared.first + 2 * pair;
    }
    return null;
  }

  release(port: number): void {
    this.#rest(headerWords + (port - this.shared.first) / 2);
  }

  /** For a thread that has died. */
  releaseAllOf(owner: number): void {
    for (let at = headerWords; at < this.#states.length; at++) {
      if (Atomics.load(this.#states, at) === owner) this.#rest(at);
    }
  }

  /** The time of the engine's timers, from its beginning. */
  setTime(ms: number): void {
    Atomics.store(this.#states, timeAt, Math.round(ms));
  }

  #rest(at: number): void {
    Atomics.store(this.#states, at, -(Atomics.load(this.#states, timeAt) + restMs));
  }
}

const isFree = (state: number, now: number): boolean => state === free || (state < 0 && -state <= now);
