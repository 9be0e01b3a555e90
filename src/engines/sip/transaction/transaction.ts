/** What transactions have in common: the layer that holds them, and their timers. */
import type { Timer, Timers } from '../timers.ts';
import type { TransportLayer } from '../transport/transport-layer.ts';
import type { TimerValues } from './timer-values.ts';

/** The layer as its transactions see it. */
export interface TransactionHost {
  readonly timers: Timers;
  readonly values: TimerValues;
  readonly transport: TransportLayer;
  /** The transaction with this key needs no further messages. */
  ended(side: 'client' | 'server', key: string): void;
}

/** A set of timers by name that end together with their transaction. */
export class TimerSet<Name extends string> {
  readonly #timers: Timers;
  readonly #running = new Map<Name, Timer>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  start<Owner>(name: Name, ms: number, fire: (owner: Owner) => void, owner: Owner): void {
    this.#running.get(name)?.close();
    this.#running.set(name, this.#timers.after(ms, fire, owner));
  }

  stop(name: Name): void {
    this.#running.get(name)?.close();
    this.#running.delete(name);
  }

  stopAll(): void {
    for (const timer of this.#running.values()) timer.close();
    this.#running.clear();
  }
}
