/**
 * Ignores sources that keep sending requests that are refused: scanners, password guessers. Their packets are dropped
 * unparsed for a while, so a scan costs nothing and learns nothing. Known carriers and this machine are never ignored.
 */
import type { Timers } from '../../engines/sip/timers.ts';
import { isLoopback } from './dial-policy.ts';

/** So many refusals within the window, then silence for the time given. */
const limits = { refusals: 30, windowMs: 10_000, ignoreMs: 60_000, mostSources: 10_000 };

interface Source {
  refusals: number;
  since: number;
  ignoredUntil: number;
}

export class SourceGuard {
  readonly #timers: Timers;
  readonly #sources = new Map<string, Source>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  ignores(address: string): boolean {
    const source = this.#sources.get(address);
    return source !== undefined && this.#timers.now() < source.ignoredUntil;
  }

  /** A request of this source was refused because nobody knows it, or its password was wrong. */
  refused(address: string): void {
    if (isLoopback(address)) return;
    const now = this.#timers.now();
    const known = this.#sources.get(address);
    const source = known && now - known.since < limits.windowMs ? known : { refusals: 0, since: now, ignoredUntil: 0 };
    source.refusals++;
    if (source.refusals >= limits.refusals) source.ignoredUntil = now + limits.ignoreMs;
    // Addresses can be forged, so the memory for them is bounded; the oldest is forgotten first.
    if (known === undefined && this.#sources.size >= limits.mostSources) {
      const [oldest] = this.#sources.keys();
      if (oldest !== undefined) this.#sources.delete(oldest);
    }
    this.#sources.delete(address);
    this.#sources.set(address, source);
  }

  /** A call of this source was accepted. */
  accepted(address: string): void {
    this.#sources.delete(address);
  }
}
