/**
 * How many jobs that wait for the same other party run at once in this process. A lane is named after that party: an
 * account's callback receiver, a provider. A job whose lane is full stays in the queue, where it costs nothing.
 */
import QuickLRU from 'quick-lru';

export type Leave = () => void;

/** Thrown by a handler that has done nothing yet: its job goes back to the queue until the lane has room. */
export class LaneFull extends Error {
  readonly lane: string;

  constructor(lane: string) {
    super(`the lane is full: ${lane}`);
    this.name = 'LaneFull';
    this.lane = lane;
  }
}

const mostNarrow = 10_000;

export class Lanes {
  readonly #occupied = new Map<string, { count: number; limit: number }>();
  /** Only a memory of who was slow; forgetting it does no harm. */
  readonly #narrow = new QuickLRU<string, true>({ maxSize: mostNarrow });
  readonly #whenRoom = new Set<() => void>();
  readonly #waiting = new Map<string, number>();

  /** Null when the lane already holds so many. */
  tryEnter(lane: string, limit: number): Leave | null {
    return this.tryEnterAll([{ name: lane, limit }]);
  }

  /** Enters all of them or, where one is full, none. */
  tryEnterAll(lanes: readonly { name: string; limit: number }[]): Leave | null {
    const entered = lanes.map(({ name, limit }) => {
      const occupied = this.#occupied.get(name) ?? { count: 0, limit };
      occupied.limit = this.#narrow.has(name) ? 1 : limit;
      return { name, occupied };
    });
    if (entered.some(({ occupied: { count, limit } }) => count >= limit)) return null;
    for (const { name, occupied } of entered) {
      occupied.count += 1;
      this.#occupied.set(name, occupied);
    }
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const wasFull = entered.some(({ occupied: { count, limit } }) => count >= limit);
      for (const { name, occupied } of entered) {
        occupied.count -= 1;
        if (occupied.count === 0) this.#occupied.delete(name);
      }
      if (wasFull) for (const notify of this.#whenRoom) notify();
    };
  }

  /** Waits for room, in the order of the calls; null when so many wait already. */
  async enter(lane: string, limit: number, mostWaiting: number): Promise<Leave | null> {
    const before = this.#waiting.get(lane) ?? 0;
    const leave = before > 0 ? null : this.tryEnter(lane, limit);
    if (leave !== null || before >= mostWaiting) return leave;
    this.#waiting.set(lane, before + 1);
    return new Promise((resolve) => {
      const forget = this.onRoom(() => {
        const entered = this.tryEnter(lane, limit);
        if (entered === null) return;
        forget();
        this.#waiting.set(lane, (this.#waiting.get(lane) ?? 1) - 1);
        resolve(entered);
      });
    });
  }

  /** From now on one at a time: for a party that lets requests time out. */
  narrow(lane: string): void {
    this.#narrow.set(lane, true);
  }

  widen(lane: string): void {
    this.#narrow.delete(lane);
  }

  isFull(lane: string): boolean {
    const occupied = this.#occupied.get(lane);
    return occupied !== undefined && occupied.count >= occupied.limit;
  }

  full(): string[] {
    return [...this.#occupied.keys()].filter((lane) => this.isFull(lane));
  }

  /** Calls `notify` whenever a job leaves a lane that was full; the returned function stops that. */
  onRoom(notify: () => void): () => void {
    this.#whenRoom.add(notify);
    return () => this.#whenRoom.delete(notify);
  }
}
