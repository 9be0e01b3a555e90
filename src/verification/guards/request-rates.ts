/** Requests a second, of whatever kind, in whole seconds of the machine's clock; each process counts for itself. */

import { addressGroup } from '../../accounts/address-group.ts';
import type { Authenticated } from '../authenticate.ts';
import { type ErrorCode, VerificationError } from '../errors.ts';
import type { VerificationSettings } from '../settings.ts';

export interface RequestRates {
  /** Throws when this request is one too many in its second. */
  count(by: Counted, address: string, settings: VerificationSettings, now: Date): void;
}

interface Counted extends Pick<Authenticated, 'mode'> {
  application: { accountId: string };
}

/** The windows are seconds, so the next one is never farther away. */
const RETRY_AFTER_SECONDS = 1;

export function createRequestRates(): RequestRates {
  const counted = new Map<string, number>();
  let second = 0;
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
      const current = Math.floor(now.getTime() / 1000);
      if (current !== second) counted.clear();
      second = current;
      for (const [code, subject, limit] of limits) {
        if (limit === null) continue;
        const count = (counted.get(`${code} ${subject}`) ?? 0) + 1;
        counted.set(`${code} ${subject}`, count);
        if (count > limit) throw new VerificationError(code, RETRY_AFTER_SECONDS);
      }
    },
  };
}
