/**
 * How many requests this server works on at a time. What is beyond that is refused at once (503): it would only wait,
 * and make everything before it slower. Codes are counted apart, so that no flood of the platform can take their room.
 */
import { Overloaded } from './unavailable.ts';
import type { Lane } from './work.ts';

export interface InFlightLimits {
  /** Requests to `/v3` in all, of one account, and requests to `/api/v1`. */
  platform: number;
  perAccount: number;
  verification: number;
}

export const shippedInFlight: InFlightLimits = { platform: 500, perAccount: 200, verification: 500 };

/** One request among those under way. */
export interface Place {
  /** From here on it counts for the account too. Throws when that has too many already. */
  chargeTo(accountId: string): void;
  leave(): void;
}

export class InFlight {
  readonly #limits: InFlightLimits;
  readonly #byLane: Record<Lane, number> = { platform: 0, verification: 0 };
  readonly #byAccount = new Map<string, number>();

  constructor(limits: InFlightLimits = shippedInFlight) {
    this.#limits = limits;
  }

  /** Null when there is no room. */
  enter(lane: Lane): Place | null {
    if (this.#byLane[lane] >= this.#limits[lane]) return null;
    this.#byLane[lane] += 1;
    let account: string | null = null;
    return {
      chargeTo: (accountId) => {
        // Codes of one account are bounded with all codes, and by their own guards.
        if (lane === 'verification' || account !== null) return;
        const count = this.#byAccount.get(accountId) ?? 0;
        if (count >= this.#limits.perAccount) throw new Overloaded('too many requests of this account are under way');
        this.#byAccount.set(accountId, count + 1);
        account = accountId;
      },
      leave: () => {
        this.#byLane[lane] -= 1;
        if (account === null) return;
        const left = (this.#byAccount.get(account) ?? 1) - 1;
        if (left > 0) this.#byAccount.set(account, left);
        else this.#byAccount.delete(account);
      },
    };
  }
}
