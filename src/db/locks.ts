/** The numbers of the advisory locks, in one place so that no two mean different things. */
export const locks = {
  /** Held while the job queue's index is made. */
  jobQueue: 7421011,
  /** Held by the process that advances the sandbox's clock, for as long as it does. */
  advance: 7421020,
  /** First of two numbers; the second stands for a worker pool that is alive. */
  workerAlive: 7421021,
} as const;
