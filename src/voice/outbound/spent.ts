/** What an outbound trunk has spent in the last 24 hours by the environment's clock. */

const thresholdWindowMs = 24 * 3_600_000;

/** When the window that counts against the threshold began. */
export const windowStart = (now: Date): Date => new Date(now.getTime() - thresholdWindowMs);

/** When what was spent at this moment stops counting. */
export const windowEnd = (at: Date): Date => new Date(at.getTime() + thresholdWindowMs);

/** As SQL for the trunk whose id is `trunk`; `since` is the placeholder of the window's start. */
export const spentSql = (trunk: string, since: string): string => `
  (select coalesce(sum(c.price), 0) from cdrs_out c where c.voice_out_trunk_id = ${trunk} and c.time_start > ${since})`;
