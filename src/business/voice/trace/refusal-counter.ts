/** Counts refused calls between two writes. A scan, however large, is a few rows and costs one addition per call. */
import { addressGroup } from '../../accounts/allowed-ips.ts';
import type { RefusedCall } from './entries.ts';

/** A row of `call_refusals`, or what is added to it. */
export interface RefusalCount extends Omit<RefusedCall, 'callId' | 'sourceAddress' | 'about'> {
  readonly source: string;
  readonly about: string;
  count: number;
  readonly firstSeen: Date;
  lastSeen: Date;
  srcNumber: string;
  dstNumber: string;
  readonly sample: string | null;
}

/** Instead of a source if there were too many in a minute. */
const others = 'others';
/** Different rows that refusals of nobody's and of one account's calls may add to in a minute. */
const mostKeys = 60;
const windowMs = 60_000;

export class RefusalCounter {
  #counts = new Map<string, RefusalCount>();
  /** Rows of this minute, by account. */
  readonly #keys = new Map<string | null, Set<string>>();
  #windowEnd = 0;

  /** `sample` is called for the first refusal of its kind only. */
  add(refused: RefusedCall, at: Date, nowMs: number, sample: () => string | null): void {
    const exact = refused.sourceAddress === null ? '' : addressGroup(refused.sourceAddress);
    const about = refused.about ?? '';
    const source = this.#hasRoom(refused.accountId, keyOf(refused, exact, about), nowMs) ? exact : others;
    const named = source === exact ? about : '';
    const key = keyOf(refused, source, named);
    const known = this.#counts.get(key);
    if (known !== undefined) {
      const { srcNumber, dstNumber } = refused;
      Object.assign(known, { count: known.count + 1, lastSeen: at, srcNumber, dstNumber });
      return;
    }
    const { callId: _callId, sourceAddress: _address, ...facts } = refused;
    this.#counts.set(key, { ...facts, source, about: named, count: 1, firstSeen: at, lastSeen: at, sample: sample() });
  }

  /** Returns what is not written yet, and forgets it. */
  take(): RefusalCount[] {
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    return counts;
  }

  /** After a write that failed: counts are added to what came meanwhile. */
  putBack(counts: readonly RefusalCount[]): void {
    for (const earlier of counts) {
      const key = keyOf(earlier, earlier.source, earlier.about);
      const later = this.#counts.get(key);
      this.#counts.set(
        key,
        later === undefined
          ? earlier
          : { ...later, count: later.count + earlier.count, firstSeen: earlier.firstSeen, sample: earlier.sample },
      );
    }
  }

  #hasRoom(accountId: string | null, key: string, nowMs: number): boolean {
    if (nowMs >= this.#windowEnd) {
      this.#keys.clear();
      this.#windowEnd = nowMs + windowMs;
    }
    const keys = this.#keys.get(accountId) ?? new Set();
    this.#keys.set(accountId, keys);
    if (!keys.has(key) && keys.size >= mostKeys) return false;
    keys.add(key);
    return true;
  }
}

const keyOf = (
  { direction, rule, accountId }: Pick<RefusedCall, 'direction' | 'rule' | 'accountId'>,
  source: string,
  about: string,
): string => JSON.stringify([direction, rule, source, accountId, about]);
