/** Lets at most `window` things run at once and at most `perSecond` begin in a second, in the order they came. */
export class Throttle {
  readonly #window: number;
  readonly #gapMs: number;
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(window: number, perSecond: number) {
    this.#window = window;
    this.#gapMs = 1000 / perSecond;
  }

  /** Resolves when it is this caller's turn; the function given back ends the turn. */
  enter(): Promise<() => void> {
    return new Promise((resolve) => {
      this.#queue.push(() => resolve(this.#leaveOnce()));
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#timer !== undefined || this.#queue.length === 0 || this.#running >= this.#window) return;
    const now = performance.now();
    // A tenth of a second of unused allowance may be caught up, so that a busy event loop does not slow the whole.
    this.#next = Math.max(this.#next, now - 100);
    if (this.#next > now) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#advance();
      }, this.#next - now);
      return;
    }
    this.#next += this.#gapMs;
    this.#running++;
    this.#queue.shift()?.();
    this.#advance();
  }

  #leaveOnce(): () => void {
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#running--;
      this.#advance();
    };
  }
}
