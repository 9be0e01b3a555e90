/**
 * Who does long work when: cloning a database, a seed, an advance of the clock. Each keeps the database server busy and
 * takes a connection, so few are under way at a time; the others wait, and accounts take turns, so that one with many
 * requests does not keep the others waiting.
 */
import { NoRoomForWorld } from './limits.ts';

/** So many wait already that this one would wait too long: of the account, or of all. */
export class TooManyWaiting extends NoRoomForWorld {
  readonly status: 429 | 503;

  constructor(status: 429 | 503, text: string) {
    super(text);
    this.status = status;
  }
}

interface TurnLimits {
  /** How many work at a time. */
  readonly together: number;
  /** How many of them may be of one account. */
  readonly ofOneAccount: number;
  /** How many requests of one account may wait. */
  readonly mostWaiting: number;
  /** How many of all accounts may wait. */
  readonly mostWaitingInAll: number;
  /** What they wait for. */
  readonly what: string;
}

const usual: TurnLimits = {
  ...{ together: 6, ofOneAccount: 4, mostWaiting: 64, mostWaitingInAll: 256 },
  what: 'a world or a snapshot',
};

interface Line {
  working: number;
  readonly waiting: (() => void)[];
}

export class Turns {
  readonly #limits: TurnLimits;
  /** By account. The one whose turn it was last stands at the end. */
  readonly #lines = new Map<string, Line>();
  #working = 0;

  constructor(limits: Partial<TurnLimits> = {}) {
    this.#limits = { ...usual, ...limits };
  }

  /** Throws TooManyWaiting if too many requests of this account, or of all, wait already. */
  async take<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(accountId) ?? { working: 0, waiting: [] };
    if (line.waiting.length >= this.#limits.mostWaiting) {
      throw new TooManyWaiting(
        429,
        `${line.waiting.length} requests of this account wait for ${this.#limits.what} already; send fewer at a time.`,
      );
    }
    if (this.#waiting >= this.#limits.mostWaitingInAll) {
      throw new TooManyWaiting(
        503,
        `${this.#waiting} requests wait for ${this.#limits.what} already; try again in a moment.`,
      );
    }
    this.#lines.set(accountId, line);
    await new Promise<void>((begin) => {
      line.waiting.push(begin);
      this.#next();
    });
    try {
      return await work();
    } finally {
      line.working -= 1;
      this.#working -= 1;
      if (line.working === 0 && line.waiting.length === 0) this.#lines.delete(accountId);
      this.#next();
    }
  }

  get #waiting(): number {
    return [...this.#lines.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  #next(): void {
    for (const [accountId, line] of this.#lines) {
      if (this.#working >= this.#limits.together) return;
      if (line.working >= this.#limits.ofOneAccount) continue;
      const begin = line.waiting.shift();
      if (begin === undefined) continue;
      line.working += 1;
      this.#working += 1;
      this.#lines.delete(accountId);
      this.#lines.set(accountId, line);
      begin();
    }
  }
}
