/**
 * Moves an environment's clock forward. It stops at every due time in order, so that each job runs at its own time, and
 * jobs that these jobs add (such as the next monthly renewal) run too. Resolves when everything due has run.
 */
import { type ClockState, isMovable, type MovableClock } from '../../base/clock.ts';
import { locks } from '../../engines/db/locks.ts';
import { withoutTimeouts } from '../../engines/db/timeouts.ts';
import type { Environment } from '../../engines/environment.ts';
import { nextDue } from '../../engines/jobs/coming.ts';
import { type DueJobs, openDueJobs } from '../../engines/jobs/due.ts';
import type { TaskHandler } from '../../engines/jobs/handler.ts';
import { clockColumns, furthestSeconds, furthestYears } from './clock.ts';

interface AdvanceOptions {
  /** Only jobs of these tasks run. */
  handlers: readonly TaskHandler[];
  /** Time limit for the jobs of one due time. */
  patienceMs?: number;
}

/** Maximum seconds of one advance: ten years. */
export const longestAdvance = 10 * 366 * 86_400;

export class ClockTooFar extends Error {
  constructor(left: number) {
    super(
      `The clock may be at most ${furthestYears} years ahead of the machine's; it can be advanced by ${left} seconds more.`,
    );
  }
}

/** Advances run one after another: in this process by a queue, across processes by a database lock. */
export async function advanceClock(env: Environment, seconds: number, options: AdvanceOptions): Promise<void> {
  const { clock } = env;
  if (!isMovable(clock)) throw new Error(`the clock of ${env.name} is the machine's own and cannot be moved`);
  await clock.turns.take(() => advance(env, clock, seconds, options));
}

/** Some work is done every day for ever, so there is an end to this in any case. */
const mostSteps = 1_000;

/** Advances from one due time to the next until nothing falls due within `withinSeconds`. */
export async function advanceUntilIdle(
  env: Environment,
  withinSeconds: number,
  options: AdvanceOptions,
): Promise<void> {
  // What is due already runs first: it may add more.
  await advanceClock(env, 0, options);
  const of = options.handlers.map(({ task }) => task);
  const except = of.filter(({ isUpkeep }) => isUpkeep);
  for (let step = 0; step < mostSteps; step++) {
    // Also those that have become due since: one that was put back for a moment, or was added by the last that ran.
    const next = await nextDue(env.pool, { except, past: { before: env.clock.now(), of } });
    const waitMs = (next?.getTime() ?? Number.POSITIVE_INFINITY) - env.clock.now().getTime();
    if (waitMs > withinSeconds * 1000) return;
    await advanceClock(env, Math.max(waitMs, 1) / 1000, options);
  }
}

async function advance(env: Environment, clock: MovableClock, seconds: number, options: AdvanceOptions): Promise<void> {
  const due = await openDueJobs(env, options.handlers, options.patienceMs ?? 300_000);
  try {
    // Another process may be advancing for minutes.
    await withoutTimeouts(due.client, () => due.client.query('select pg_advisory_lock($1)', [locks.advance]));
    await clock.refresh?.();
    const left = furthestSeconds - clock.offsetSeconds;
    if (seconds > left) throw new ClockTooFar(Math.max(0, left));
    // Whole milliseconds: a fraction of a second times a thousand is not always a whole number.
    await walk(clock, due, Math.round(seconds * 1000));
  } finally {
    // Closing the connection releases the lock.
    await due.close();
  }
}

async function walk(clock: MovableClock, due: DueJobs, milliseconds: number): Promise<void> {
  const start = clock.now().getTime();
  const target = start + milliseconds;
  const began = clock.machineTime().getTime();
  const restart = (moved: number) => write(clock, due, restartClock, [moved, clock.machineTime().getTime() - began]);
  try {
    let at: number | null = start;
    while (at !== null) {
      await write(clock, due, 'clock_stands_at = $1', [new Date(at)]);
      await due.run();
      const next: number | null = await due.next(target);
      at = next !== null ? Math.max(next, at) : at < target ? target : null;
    }
    if (!clock.runs) return;
    // The offset changes by exactly the requested time; the real time that this took is added by the machine's clock.
    await restart(milliseconds);
  } catch (error) {
    // Completed jobs cannot be undone, so the clock continues from the time it had reached.
    if (clock.runs) await restart(clock.now().getTime() - start).catch(() => undefined);
    throw error;
  }
}

/** The time that an advance took itself counts once, whatever the factor. */
const restartClock = `clock_stands_at = null, clock_offset_ms = clock_offset_ms + $1,
  clock_factor_since = clock_factor_since + $2::int * interval '1 millisecond'`;

async function write(clock: MovableClock, due: DueJobs, change: string, values: unknown[]): Promise<void> {
  const { rows } = await due.client.query<Record<keyof ClockState, string | null>>(
    `update environment_state set clock_version = clock_version + 1, ${change} returning ${clockColumns}`,
    values,
  );
  const row = rows[0];
  if (row === undefined) throw new Error('environment_state has lost its row');
  const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));
  clock.adopt({
    version: Number(row.version),
    offsetMs: Number(row.offsetMs),
    standsAtMs: numberOf(row.standsAtMs),
    factor: numberOf(row.factor),
    factorSinceMs: numberOf(row.factorSinceMs),
  });
}
