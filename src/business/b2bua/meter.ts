/**
 * Keeps an answered call paid: asks for more money shortly before what it holds is used up, and cuts the call at that
 * moment if there is none, or if the database cannot say.
 */
import type { Timer, Timers } from '../../engines/sip/timers.ts';
import type { Disconnect } from '../voice/call.ts';
import { databaseAway } from './patience.ts';

interface MeteredCall {
  readonly paidSeconds: number | null;
  extend(): Promise<Disconnect | null>;
}

/** It asks so long before the end, or a third of the interval if that is less; and again while that is refused. */
const leadMs = 5_000;
const askAgainMs = 1_000;

export class Meter {
  readonly #timers: Timers;
  readonly #call: MeteredCall;
  readonly #cut: (disconnect: Disconnect) => void;
  readonly #answeredMs: number;
  #timer: Timer | null = null;
  #isStopped = false;

  /** `answeredMs`: when the call was answered, on the clock of the timers. */
  constructor(timers: Timers, call: MeteredCall, answeredMs: number, cut: (disconnect: Disconnect) => void) {
    this.#timers = timers;
    this.#call = call;
    this.#answeredMs = answeredMs;
    this.#cut = cut;
    this.#plan();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.close();
  }

  #plan(): void {
    const { paidSeconds } = this.#call;
    if (paidSeconds === null) return;
    const endsMs = this.#answeredMs + paidSeconds * 1000;
    const left = endsMs - this.#timers.now();
    this.#after(left - Math.min(leadMs, left / 3), () => void this.#ask(endsMs));
  }

  /** `told` is what the database said the last time: it stays the reason while it says nothing else. */
  async #ask(endsMs: number, told: Disconnect = databaseAway): Promise<void> {
    // The money ends, whether or not the database has answered by then.
    this.#after(endsMs - this.#timers.now(), () => this.#cut(told));
    const refused = await this.#call.extend().catch(() => told);
    if (this.#isStopped) return;
    this.#timer?.close();
    if (refused === null) return this.#plan();
    const left = endsMs - this.#timers.now();
    // The last word is that of the moment: money may have come meanwhile.
    if (left > askAgainMs) this.#after(askAgainMs, () => void this.#ask(endsMs, refused));
    else this.#after(left, () => this.#cut(refused));
  }

  #after(ms: number, run: () => void): void {
    this.#timer?.close();
    this.#timer = this.#timers.after(Math.max(0, ms), run, undefined);
  }
}
