/**
 * How many requests this server works on at a time. More are refused (503): they would only wait, and make everything
 * before them slower. Codes are counted apart from the platform, so that no flood of `/v3` can take their places, and
 * each account has only a share of either.
 */
import QuickLRU from 'quick-lru';
import { Overloaded } from '../../engines/db/unavailable.ts';
import type { Lane } from '../../engines/db/work.ts';

export interface InFlightLimits {
  /** Requests to `/v3`, requests to `/api/v1`, and how many of either may be of one account. */
  platform: number;
  verification: number;
  perAccount: number;
  /**
   * Requests to `/operator/v1`, counted apart so that neither a flood of customers locks operators out nor the reverse.
   */
  operator?: number;
}

/** What is counted apart. */
export type Counted = Lane | 'operator';

const shippedOperatorRequests = 100;
const shippedInFlight: InFlightLimits = { platform: 500, verification: 500, perAccount: 200 };

/** One of the requests in flight. */
export interface Place {
  /** Counts it for the account too. Throws `Overloaded` if that has too many already. */
  chargeTo(accountId: string): void;
  leave(): void;
}

/**
 * Callers in `#refused` before it is emptied; one entry is some hundred bytes, whatever its caller sends (callerOf).
 */
const mostRefused = 10_000;

export class InFlight {
  readonly #limits: Required<InFlightLimits>;
  readonly #byLane: Record<Counted, number> = { platform: 0, verification: 0, operator: 0 };
  /** By lane and account. */
  readonly #byAccount = new Map<string, number>();
  /** Callers whose account had too many requests, with its key in `#byAccount`. */
  readonly #refused = new QuickLRU<string, string>({ maxSize: mostRefused });

  constructor(limits: InFlightLimits = shippedInFlight) {
    this.#limits = { operator: shippedOperatorRequests, ...limits };
  }

  /**
   * Whether a request would be refused, as far as can be told without authenticating it. `caller` is what its head says
   * about where it comes from and for whom; it is only computed if somebody was refused.
   */
  isFull(lane: Counted, caller: () => string): boolean {
    if (this.#byLane[lane] >= this.#limits[lane]) return true;
    const share = this.#refused.size === 0 ? undefined : this.#refused.get(caller());
    return share !== undefined && this.#isShareFull(share);
  }

  /** Returns null if there is no room. */
  enter(lane: Counted, caller: () => string): Place | null {
    if (this.#byLane[lane] >= this.#limits[lane]) return null;
    this.#byLane[lane] += 1;
    let charged: string | null = null;
    return {
      chargeTo: (accountId) => {
        if (charged !== null) return;
        const share = `${lane} ${accountId}`;
        if (this.#isShareFull(share)) {
          this.#refused.set(caller(), share);
          throw new Overloaded('too many requests of this account are in flight');
        }
        this.#byAccount.set(share, (this.#byAccount.get(share) ?? 0) + 1);
        charged = share;
      },
      leave: () => {
        this.#byLane[lane] -= 1;
        if (charged === null) return;
        const left = (this.#byAccount.get(charged) ?? 1) - 1;
        if (left > 0) this.#byAccount.set(charged, left);
        else this.#byAccount.delete(charged);
      },
    };
  }

  #isShareFull(share: string): boolean {
    return (this.#byAccount.get(share) ?? 0) >= this.#limits.perAccount;
  }
}
