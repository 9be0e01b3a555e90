/**
 * Limits of requests to `/api/v1` per second, in whole seconds of the machine's clock. What other processes let through
 * counts here as soon as they tell; what was too much by then is taken off the following seconds.
 */

import { machineClock } from '../../base/clock.ts';
import { addressGroup } from '../../business/accounts/allowed-ips.ts';
import type { Share } from '../../business/accounts/rate-limit.ts';
import type { Authenticated } from './authenticate.ts';
import { type ErrorCode, VerificationError } from './errors.ts';
import type { VerificationSettings } from './settings.ts';

interface RequestRates {
  /** Throws when this request is one too many in its second. */
  count(by: Requester, address: string, settings: VerificationSettings, now: Date): void;
}

interface Requester extends Pick<Authenticated, 'mode'> {
  application: { accountId: string };
}

interface Counter {
  count: number;
  limit: number;
}

/** The windows are seconds, so the next one is never farther away. */
const retryAfterSeconds = 1;

export function createRequestRates(
  share: Share = () => () => undefined,
  machineNow: () => Date = () => machineClock.now(),
): RequestRates {
  let counters = new Map<string, Counter>();
  let second = 0;
  const begin = (now: Date) => {
    const current = Math.floor(now.getTime() / 1000);
    if (current !== second) counters = carriedOver(counters, current - second);
    second = current;
  };
  const add = (subject: string, count: number, limit: number) => {
    counters.set(subject, { count: (counters.get(subject)?.count ?? 0) + count, limit });
  };
  const tell = share((subject, count, limit) => {
    begin(machineNow());
    add(subject, count, limit);
  });
  return {
    count({ application: { accountId }, mode }, address, settings, now) {
      const { publicAddressRate, publicAccountRate, accountRate } = settings;
      if (publicAddressRate === null && publicAccountRate === null && accountRate === null) return;
      const isPublic = mode === 'public';
      const limits: readonly (readonly [ErrorCode, string, number | null])[] = [
        ['rate_limit_per_ip', addressGroup(address), isPublic ? publicAddressRate : null],
        ['rate_limit_public_per_account', accountId, isPublic ? publicAccountRate : null],
        ['rate_limit_per_account', accountId, accountRate],
      ];
      begin(now);
      for (const [code, name, limit] of limits) {
        if (limit === null) continue;
        const subject = `${code} ${name}`;
        if ((counters.get(subject)?.count ?? 0) >= limit) throw new VerificationError(code, retryAfterSeconds);
        add(subject, 1, limit);
        tell(subject, 1, limit);
      }
    },
  };
}

/** Within one process no counter passes its limit, and nothing is carried over. */
function carriedOver(counters: ReadonlyMap<string, Counter>, seconds: number): Map<string, Counter> {
  const carried = new Map<string, Counter>();
  for (const [subject, { count, limit }] of counters) {
    const left = count - limit * seconds;
    if (seconds > 0 && left > 0) carried.set(subject, { count: left, limit });
  }
  return carried;
}
