/** What an outbound trunk has spent in the last 24 hours by the environment's clock. */

/** As SQL for the trunk whose id is `trunk`; the database knows the environment's time (migration 0003). */
export const spentSql = (trunk: string): string => `
  (select coalesce(sum(c.price), 0) from cdrs_out c
   where c.voice_out_trunk_id = ${trunk} and c.time_start > environment_time.now() - interval '24 hours')`;

export const thresholdWindowMs = 24 * 3_600_000;
