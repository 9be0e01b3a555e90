/** Requests a second: what is let through, and how long the rest has to wait. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bucket, createRateLimiter, takeToken } from './rate-limit.ts';

describe('the rate limit', () => {
  it('lets one second’s worth through at once, and tells the rest to wait at least a second', () => {
    const limit = createRateLimiter(undefined, () => 0);
    const responses = Array.from({ length: 25 }, () => limit({ actor: { kind: 'api_key', id: 'k' }, rateLimit: 20 }));
    expect(responses).toEqual([...Array(20).fill(0), ...Array(5).fill(1)]);
  });

  it('serves again after the time it asked to wait', () => {
    let now = 0;
    const limit = createRateLimiter(undefined, () => now);
    const ask = () => limit({ actor: { kind: 'api_key', id: 'k' }, rateLimit: 2 });
    expect([ask(), ask(), ask()]).toEqual([0, 0, 1]);
    now = 1000;
    expect([ask(), ask(), ask()]).toEqual([0, 0, 1]);
  });

  it('counts each key for itself, and not at all without a limit', () => {
    const limit = createRateLimiter(undefined, () => 0);
    expect(limit({ actor: { kind: 'api_key', id: 'a' }, rateLimit: 1 })).toBe(0);
    expect(limit({ actor: { kind: 'api_key', id: 'a' }, rateLimit: 1 })).toBe(1);
    expect(limit({ actor: { kind: 'api_key', id: 'b' }, rateLimit: 1 })).toBe(0);
    for (let n = 0; n < 100; n++) expect(limit({ actor: { kind: 'api_key', id: 'c' }, rateLimit: null })).toBe(0);
  });

  it('never lets more through than the rate allows over any time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
        (rate, gaps) => {
          let bucket: Bucket | undefined;
          let now = 0;
          let served = 0;
          for (const gap of gaps) {
            now += gap;
            const decision = takeToken(bucket, rate, now);
            bucket = decision.bucket;
            if (decision.retryAfter === 0) served += 1;
            else expect(decision.retryAfter).toBeGreaterThanOrEqual(1);
          }
          expect(served).toBeLessThanOrEqual(rate + Math.ceil((now / 1000) * rate));
        },
      ),
    );
  });
});
