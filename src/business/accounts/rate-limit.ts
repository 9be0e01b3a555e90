/**
 * The rate limit of an API key: a token bucket that holds one second's requests. What other processes let through
 * empties the bucket of this one too, below zero if need be, so that over time all of them together keep to the rate.
 * By hand: it counts after authentication, by key, and answers in the contract's words.
 */

import type { Counted } from '../../engines/db/shared-counts.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import type { Caller } from './caller.ts';

/** Default for keys without their own limit: none in the sandbox, 20 per second in production. */
export const defaultRateLimit: Readonly<Record<EnvironmentName, number | null>> = { sandbox: null, production: 20 };

export interface Bucket {
  tokens: number;
  /** Milliseconds of a monotonic clock. */
  at: number;
}

interface RateDecision {
  bucket: Bucket;
  /** 0 if the request is allowed, otherwise the whole seconds to wait, at least 1. */
  retryAfter: number;
}

export function takeToken(bucket: Bucket | undefined, perSecond: number, now: number): RateDecision {
  const tokens = tokensIn(bucket, perSecond, now);
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, at: now }, retryAfter: 0 };
  return { bucket: { tokens, at: now }, retryAfter: Math.max(1, Math.ceil((1 - tokens) / perSecond)) };
}

function tokensIn(bucket: Bucket | undefined, perSecond: number, now: number): number {
  if (bucket === undefined) return perSecond;
  return Math.min(perSecond, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
}

const sweepAbove = 10_000;
/** Long enough for a bucket that other processes have emptied below zero. */
const forgottenMs = 60_000;

/** Tells others what this process counts, and calls `heard` for what they count; see `SharedCounts`. */
export type Share = (heard: Counted) => Counted;

const unshared: Share = () => () => undefined;

/** Returns a function that returns the seconds a caller must wait, 0 for none. */
export function createRateLimiter(
  share: Share = unshared,
  monotonicMs: () => number = () => performance.now(),
): (caller: Pick<Caller, 'actor' | 'rateLimit'>) => number {
  const buckets = new Map<string, Bucket>();
  const tell = share((id, count, perSecond) => {
    const now = monotonicMs();
    if (buckets.size > sweepAbove) forgetFull(buckets, now);
    buckets.set(id, { tokens: tokensIn(buckets.get(id), perSecond, now) - count, at: now });
  });
  return ({ actor, rateLimit }) => {
    if (rateLimit === null) return 0;
    const now = monotonicMs();
    if (buckets.size > sweepAbove) forgetFull(buckets, now);
    const { bucket, retryAfter } = takeToken(buckets.get(actor.id), rateLimit, now);
    buckets.set(actor.id, bucket);
    if (retryAfter === 0) tell(actor.id, 1, rateLimit);
    return retryAfter;
  };
}

/** Deletes buckets that are full again, which is the same as no bucket. */
function forgetFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [id, { at, tokens }] of buckets) {
    if (now - at >= (tokens >= 0 ? 1000 : forgottenMs)) buckets.delete(id);
  }
}
