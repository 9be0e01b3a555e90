/** The retry schedule of a failed event: 1 s, 5 s, 30 s, 2 min, 10 min, then every hour for a day. */
const waits = [1, 5, 30, 120, 600, ...Array.from({ length: 24 }, () => 3600)];

/** Seconds until the next attempt after this many attempts; null if the event is given up. */
export const waitAfter = (attempts: number): number | null => waits[attempts - 1] ?? null;

/** Seconds a failing lane pauses: at most a minute, so that a receiver that works again is noticed soon. */
export const laneWait = (failures: number): number => Math.min(waitAfter(failures) ?? 60, 60);

/** Consecutive failures, of any calls, after which the whole lane pauses. */
export const failuresThatCloseALane = 3;

export const givenUpAfterMs = 25 * 3_600_000;
