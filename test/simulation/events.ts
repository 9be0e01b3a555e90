/**
 * What happens in a simulation, one event after another in virtual time: the only thing that ever happens next is the
 * earliest event, and those of one moment happen in the order in which they were planned.
 */
import { createHash } from 'node:crypto';

/** A process of the simulation, as far as events know it: what a dead one has planned does not happen. */
export interface Owner {
  readonly name: string;
  readonly isDead: boolean;
}

interface Planned {
  at: number;
  readonly place: number;
  readonly label: string;
  readonly owner: Owner | null;
  readonly run: () => unknown;
  isWithdrawn: boolean;
}

export interface Withdrawable {
  withdraw(): void;
}

/** The last of what happened, shown with a fault. */
const shownEvents = 60;

export class Events {
  /** Milliseconds since 1970. */
  now: number;
  happened = 0;
  /** Counts what was planned: a process that plans nothing more has come to rest. */
  planned = 0;
  readonly #heap: Planned[] = [];
  readonly #trace = createHash('sha256');
  readonly #last: string[] = [];

  constructor(at: number) {
    this.now = at;
  }

  /** Labels hold nothing that differs between two runs of one seed. */
  plan(afterMs: number, label: string, owner: Owner | null, run: () => unknown): Withdrawable {
    this.planned += 1;
    const event: Planned = {
      at: this.now + Math.max(0, Math.round(afterMs)),
      place: this.planned,
      ...{ label, owner, run, isWithdrawn: false },
    };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
    return {
      withdraw: () => {
        event.isWithdrawn = true;
      },
    };
  }

  /** The next event, with the time at its moment; null when nothing is planned any more. */
  next(): Pick<Planned, 'owner' | 'run'> | null {
    for (;;) {
      const event = this.#pop();
      if (event === null) return null;
      if (event.isWithdrawn || event.owner?.isDead) continue;
      this.now = Math.max(this.now, event.at);
      this.happened += 1;
      this.note(`${event.owner?.name ?? 'world'} ${event.label}`);
      return event;
    }
  }

  /** To a later moment, as a machine that has slept: what was planned before it happens now. */
  leap(to: number): void {
    this.now = Math.max(this.now, to);
  }

  /** Adds a line to what happened, without an event. */
  note(text: string): void {
    const line = `${new Date(this.now).toISOString()} ${text}`;
    this.#trace.update(line).update('\n');
    this.#last.push(line);
    if (this.#last.length > shownEvents) this.#last.shift();
  }

  /** Everything that happened, as one word. */
  get digest(): string {
    return this.#trace.copy().digest('hex').slice(0, 16);
  }

  get lastEvents(): readonly string[] {
    return this.#last;
  }

  #pop(): Planned | null {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return null;
    if (last !== first) {
      this.#heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      let earliest = index;
      for (const child of [2 * index + 1, 2 * index + 2]) if (this.#isBefore(child, earliest)) earliest = child;
      if (earliest === index) return;
      this.#swap(index, earliest);
      index = earliest;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.at < b.at || (a.at === b.at && a.place < b.place);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
