/** When an event that failed is tried again: 1 s, 5 s, 30 s, 2 min, 10 min, then every hour for a day. */
const waits = [1, 5, 30, 120, 600, ...Array.from({ length: 24 }, () => 3600)];

/** Seconds until the next attempt after `attempts` of them; null when it is given up. */
export const waitAfter = (attempts: number): number | null => waits[attempts - 1] ?? null;

/** A receiver that fails is asked by one event at a time, at most once a minute, so that its return is noticed soon. */
export const laneWait = (failures: number): number => Math.min(waitAfter(failures) ?? 60, 60);

/** In a row, of whatever calls; then the whole lane waits. */
export const failuresThatCloseALane = 3;

export const givenUpAfterMs = 25 * 3_600_000;
