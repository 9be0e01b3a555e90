/** How many packets a second one party may send into a port: a flood costs bounded work. */

export class PacketLimit {
  readonly #perSecond: number;
  #left: number;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /** Counts a packet; false if it is one too many. `now` in milliseconds. */
  take(now: number): boolean {
    if (now - this.#countedAt >= 1_000) {
      this.#left = this.#perSecond;
      this.#countedAt = now;
    }
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }
}
