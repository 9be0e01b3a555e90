/** The numbers of the advisory locks, in one place so that no two mean different things. */
export const locks = {
  /** In the embedded server's maintenance database: shared by everyone who uses the server. */
  embeddedUsers: 7421001,
  /** Beside it: held by the one Trunkline that serves from the data folder. */
  embeddedServing: 7421002,
  /** Held while migrations are applied. */
  migrations: 7421010,
  /** Held while a bootstrap file is applied. */
  bootstrap: 7421012,
  /** Held while the job queue's index is made. */
  jobQueue: 7421011,
  /** Held by the process that advances the sandbox's clock, for as long as it does. */
  advance: 7421020,
  /** First of two numbers; the second stands for a worker pool that is alive. */
  workerAlive: 7421021,
  // 7421031 to 7421034 are taken by voice_channels_in_use (migration 0021): number, capacity group, trunk group, trunk.
  /** First of two numbers; the second stands for one account's stream of call events that a process delivers. */
  eventLane: 7421041,
} as const;
