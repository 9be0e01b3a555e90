/** Remembers targets that failed a moment ago, so that one dead server of several does not delay every call. */
import QuickLRU from 'quick-lru';
import type { Timers } from '../timers.ts';
import type { Target } from '../transport/wire.ts';

const avoidMs = 30_000;
const mostRemembered = 10_000;

export class TargetHealth {
  readonly #timers: Timers;
  readonly #failedAt = new QuickLRU<string, number>({ maxSize: mostRemembered });

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  failed(target: Target): void {
    this.#failedAt.set(keyOf(target), this.#timers.now());
  }

  answered(target: Target): void {
    this.#failedAt.delete(keyOf(target));
  }

  /** The same targets, those that failed lately last: they are still tried when all others fail. */
  order(targets: readonly Target[]): Target[] {
    const isBad = (target: Target) => {
      const at = this.#failedAt.get(keyOf(target));
      return at !== undefined && this.#timers.now() - at < avoidMs;
    };
    return [...targets.filter((target) => !isBad(target)), ...targets.filter(isBad)];
  }
}

function keyOf({ transport, address, port }: Target): string {
  return `${transport} ${address} ${port}`;
}
