/**
 * Who makes databases when. Cloning one keeps the database server busy and takes a connection, so few are made at a time;
 * the others wait, and accounts take turns, so that one with many requests does not keep the others waiting.
 */
import { NoRoomForWorld } from './limits.ts';

interface TurnLimits {
  /** How many work at a time. */
  readonly together: number;
  /** How many of them may be of one account. */
  readonly ofOneAccount: number;
  /** How many requests of one account may wait. */
  readonly mostWaiting: number;
}

const usual: TurnLimits = { together: 6, ofOneAccount: 4, mostWaiting: 64 };

interface Line {
  working: number;
  readonly waiting: (() => void)[];
}

export class Turns {
  readonly #limits: TurnLimits;
  /** By account. The one whose turn it was last stands at the end. */
  readonly #lines = new Map<string, Line>();
  #working = 0;

  constructor(limits: TurnLimits = usual) {
    this.#limits = limits;
  }

  /** Throws NoRoomForWorld if too many requests of this account wait already. */
  async take<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(accountId) ?? { working: 0, waiting: [] };
    this.#lines.set(accountId, line);
    if (line.waiting.length >= this.#limits.mostWaiting) {
      throw new NoRoomForWorld(
        `${line.waiting.length} requests of this account wait for a world or a snapshot already; send fewer at a time.`,
      );
    }
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
