/** The rate limit of an API key: a token bucket that holds one second's requests. */
import type { EnvironmentName } from '../environment.ts';
import type { Caller } from './caller.ts';

/** Default for keys without their own limit: none in the sandbox, 20 per second in production. */
export const defaultRateLimit: Readonly<Record<EnvironmentName, number | null>> = { sandbox: null, production: 20 };

export interface Bucket {
  tokens: number;
  /** Milliseconds of a monotonic clock. */
  at: number;
}

export interface RateDecision {
  bucket: Bucket;
  /** 0 if the request is allowed, otherwise the whole seconds to wait, at least 1. */
  retryAfter: number;
}

export function takeToken(bucket: Bucket | undefined, perSecond: number, now: number): RateDecision {
  const filled = bucket === undefined ? perSecond : bucket.tokens + ((now - bucket.at) / 1000) * perSecond;
  const tokens = Math.min(perSecond, filled);
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, at: now }, retryAfter: 0 };
  return { bucket: { tokens, at: now }, retryAfter: Math.max(1, Math.ceil((1 - tokens) / perSecond)) };
}

const sweepAbove = 10_000;

/** Returns a function that returns the seconds a caller must wait, 0 for none. Each process counts for itself. */
export function createRateLimiter(
  monotonicMs: () => number = () => performance.now(),
): (caller: Pick<Caller, 'actor' | 'rateLimit'>) => number {
  const buckets = new Map<string, Bucket>();
  return ({ actor, rateLimit }) => {
    if (rateLimit === null) return 0;
    const now = monotonicMs();
    if (buckets.size > sweepAbove) forgetFull(buckets, now);
    const { bucket, retryAfter } = takeToken(buckets.get(actor.id), rateLimit, now);
    buckets.set(actor.id, bucket);
    return retryAfter;
  };
}

/** Deletes buckets older than a second: they are full again, which is the same as no bucket. */
function forgetFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [id, { at }] of buckets) if (now - at >= 1000) buckets.delete(id);
}
