/** How many requests a second an API key may make: a bucket that holds one second's worth and fills steadily. */
import type { EnvironmentName } from '../environment.ts';
import type { Caller } from './caller.ts';

/** For keys without a limit of their own: off in the sandbox, 20 a second in production. */
export const defaultRateLimit: Readonly<Record<EnvironmentName, number | null>> = { sandbox: null, production: 20 };

export interface Bucket {
  tokens: number;
  /** Milliseconds of a clock that only goes forward. */
  at: number;
}

export interface RateDecision {
  bucket: Bucket;
  /** 0: go on. Otherwise how many whole seconds to wait, at least 1. */
  retryAfter: number;
}

export function takeToken(bucket: Bucket | undefined, perSecond: number, now: number): RateDecision {
  const filled = bucket === undefined ? perSecond : bucket.tokens + ((now - bucket.at) / 1000) * perSecond;
  const tokens = Math.min(perSecond, filled);
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, at: now }, retryAfter: 0 };
  return { bucket: { tokens, at: now }, retryAfter: Math.max(1, Math.ceil((1 - tokens) / perSecond)) };
}

const sweepAbove = 10_000;

/** Answers how many seconds the caller must wait, 0 for none. Each process counts for itself. */
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

/** A bucket that has had a second to fill is as good as none. */
function forgetFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [id, { at }] of buckets) if (now - at >= 1000) buckets.delete(id);
}
