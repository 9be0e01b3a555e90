/** What an outbound trunk has spent in the last 24 hours of the environment's clock. */

const thresholdWindowMs = 24 * 3_600_000;

/** Start of the window that counts against the threshold. */
export const windowStart = (now: Date): Date => new Date(now.getTime() - thresholdWindowMs);

/** When a charge made at this time leaves the window. */
export const windowEnd = (at: Date): Date => new Date(at.getTime() + thresholdWindowMs);

/** SQL for the trunk with id `trunk`; `since` is the placeholder of the start of the window. */
export const spentSql = (trunk: string, since: string): string => `
  (select coalesce(sum(c.price), 0) from cdrs_out c where c.voice_out_trunk_id = ${trunk} and c.time_start > ${since})`;
