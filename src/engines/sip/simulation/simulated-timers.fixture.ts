/** A clock that jumps from one timer to the next: hours of calls pass in the time that their work takes. */
import type { Timer, Timers } from '../timers.ts';

interface Entry extends Timer {
  at: number;
  /** Entries of the same moment fire in the order in which they were set. */
  order: number;
  fire: (() => void) | null;
}

export class SimulatedTimers implements Timers {
  #now = 0;
  #order = 0;
  /** A binary heap; the earliest entry is the first. */
  readonly #heap: Entry[] = [];

  now(): number {
    return this.#now;
  }

  after<Argument>(ms: number, run: (argument: Argument) => void, argument: Argument): Timer {
    const entry: Entry = {
      at: this.#now + Math.max(0, ms),
      order: this.#order++,
      fire: () => run(argument),
      close() {
        entry.fire = null;
      },
    };
    this.#heap.push(entry);
    this.#raise(this.#heap.length - 1);
    return entry;
  }

  /** Fires what is due within `ms`, and stands at the end of that time. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) this.#fireFirst(next);
    this.#now = until;
  }

  /** Fires timers until none is left, or until `ms` have passed. Returns whether none is left. */
  runUntilQuiet(ms: number): boolean {
    const until = this.#now + ms;
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) this.#fireFirst(next);
    return this.#heap.length === 0;
  }

  /** Timers that are set and not cancelled. */
  get pending(): number {
    return this.#heap.filter((entry) => entry.fire !== null).length;
  }

  #fireFirst(first: Entry): void {
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    const { fire } = first;
    if (fire === null) return;
    first.fire = null;
    this.#now = first.at;
    fire();
  }

  #raise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfEarlier(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      const child = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfEarlier(child, at)) return;
      at = child;
    }
  }

  #isEarlier(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swapIfEarlier(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined || !this.#isEarlier(one, other)) return false;
    this.#heap[one] = b;
    this.#heap[other] = a;
    return true;
  }
}
