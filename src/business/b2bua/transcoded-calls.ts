/**
 * Calls whose media are transcoded, which costs processor time: no account has more of them at a time than its share of
 * what the operator allows.
 */

/** Of those that the operator allows. */
const accountShare = 1 / 4;

export class TranscodedCalls {
  readonly #mostOfAccount: number;
  /** Id of the call -> its account. */
  readonly #calls = new Map<string, string | null>();
  /** Since the start. */
  count = 0;

  /** `most`: how many the engine transcodes at a time. */
  constructor(most: number) {
    this.#mostOfAccount = Math.min(most, Math.max(1, Math.floor(most * accountShare)));
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Returns whether the call may be transcoded; it counts until `release`. */
  take(callId: string, accountId: string | null): boolean {
    if (this.#calls.has(callId)) return true;
    const taken = [...this.#calls.values()].filter((one) => one === accountId).length;
    if (taken >= this.#mostOfAccount) return false;
    this.#calls.set(callId, accountId);
    this.count += 1;
    return true;
  }

  release(callId: string): void {
    this.#calls.delete(callId);
  }
}
