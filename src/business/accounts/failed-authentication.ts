/** Counts failed authentications per address in fixed windows, those of all processes together. */
import QuickLRU from 'quick-lru';
import type { EnvironmentName } from '../../engines/environment.ts';
import { addressGroup } from './allowed-ips.ts';
import type { Share } from './rate-limit.ts';

/** A number of events in a number of seconds. */
export interface Velocity {
  limit: number;
  seconds: number;
}

/** Default limit. Secrets cannot be guessed at any rate; the limit keeps a broken or hostile client cheap. */
export const shippedFailureLimit: Readonly<Record<EnvironmentName, Velocity | null>> = {
  sandbox: null,
  production: { limit: 100, seconds: 10 },
};

export class TooManyFailures extends Error {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('too many failed authentications from this address');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface FailedAuthentications {
  /** Returns the seconds to wait if this address has failed too often, otherwise 0. */
  wait(address: string, limit: Velocity | null): number;
  count(address: string, limit: Velocity | null): void;
}

const mostKept = 100_000;

export function createFailedAuthentications(
  share: Share = () => () => undefined,
  monotonicMs: () => number = () => performance.now(),
): FailedAuthentications {
  const windows = new QuickLRU<string, { ends: number; failures: number }>({ maxSize: mostKept });
  const add = (group: string, failures: number, seconds: number) => {
    const now = monotonicMs();
    const window = windows.get(group);
    if (window !== undefined && window.ends > now) window.failures += failures;
    else windows.set(group, { ends: now + seconds * 1000, failures });
  };
  const tell = share(add);
  return {
    wait(address, limit) {
      if (limit === null) return 0;
      const window = windows.get(addressGroup(address));
      const left = window === undefined ? 0 : window.ends - monotonicMs();
      return window !== undefined && left > 0 && window.failures >= limit.limit ? Math.ceil(left / 1000) : 0;
    },
    count(address, limit) {
      if (limit === null) return;
      const group = addressGroup(address);
      add(group, 1, limit.seconds);
      tell(group, 1, limit.seconds);
    },
  };
}
