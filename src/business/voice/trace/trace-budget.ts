/**
 * How many calls of a process are traced: a share per account, so that a busy customer does not push out the others.
 */

/** New traces in a second, and traces in memory. */
const limits = {
  perSecond: { process: 50, account: 10 },
  inMemory: { process: 5_000, account: 1_000 },
} as const;

type Account = string | null;

export class TraceBudget {
  readonly #inMemory = new Map<Account, number>();
  readonly #thisSecond = new Map<Account, number>();
  #total = 0;
  #startedThisSecond = 0;
  #secondEnd = 0;

  /** Returns whether a call of this account may be traced; if so, it must be released. */
  take(account: Account, nowMs: number): boolean {
    if (nowMs >= this.#secondEnd) {
      this.#thisSecond.clear();
      this.#startedThisSecond = 0;
      this.#secondEnd = nowMs + 1_000;
    }
    const started = this.#thisSecond.get(account) ?? 0;
    const inMemory = this.#inMemory.get(account) ?? 0;
    const { perSecond, inMemory: held } = limits;
    if (started >= perSecond.account || this.#startedThisSecond >= perSecond.process) return false;
    if (inMemory >= held.account || this.#total >= held.process) return false;
    this.#thisSecond.set(account, started + 1);
    this.#startedThisSecond += 1;
    this.#inMemory.set(account, inMemory + 1);
    this.#total += 1;
    return true;
  }

  release(account: Account): void {
    const left = (this.#inMemory.get(account) ?? 1) - 1;
    if (left > 0) this.#inMemory.set(account, left);
    else this.#inMemory.delete(account);
    this.#total -= 1;
  }
}
