/**
 * Counts starts for the guards that have a limit, across all processes. A start only adds rows
 * (verification_start_counts), so starts do not wait for each other, however many share a counter. Only the last starts
 * before a limit take turns, so that exactly as many pass as it allows (`start_verifications`). Rows are folded into
 * one sum per counter (verification_counters) when there are many.
 */

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { addressGroup } from '../../business/accounts/allowed-ips.ts';
import type { Velocity } from '../../business/accounts/failed-authentication.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import type { OtpApplication } from './application.ts';
import type { VerificationSettings } from './settings.ts';

export type CountedGuard =
  | 'address_velocity'
  | 'destination_budget'
  | 'prefix_velocity'
  | 'daily_volume'
  | 'wrong_codes';

/** One counter that a start is counted in. */
export interface StartCount {
  guard: CountedGuard;
  subject: string;
  windowStart: Date;
  velocity: Velocity;
}

export interface CountedStart {
  application: OtpApplication;
  destination: string;
  address: string;
}

/** A limit is reached. */
export class LimitReached extends Error {
  readonly count: StartCount;

  constructor(count: StartCount) {
    super(`${count.guard} is used up`);
    this.count = count;
  }
}

const foldBatch = 5_000;

/** The counters of a start, always in the same order, so that starts that wait for several do not deadlock. */
export function countsOf(settings: VerificationSettings, start: CountedStart, now: Date): StartCount[] {
  const { destination, application } = start;
  const daily = application.dailyLimit ?? settings.dailyVolume;
  const guards: [CountedGuard, string, Velocity | null][] = [
    ['address_velocity', addressGroup(start.address), settings.addressVelocity],
    // By account: nobody uses up what others may start.
    ['destination_budget', `${application.accountId} ${destination}`, settings.destinationBudget],
    [
      'prefix_velocity',
      `${application.accountId} ${destination.slice(0, settings.prefixVelocity?.digits)}`,
      settings.prefixVelocity,
    ],
    ['daily_volume', application.id, daily === null ? null : { limit: daily, seconds: daySeconds }],
  ];
  return guards.flatMap(([guard, subject, velocity]) =>
    velocity === null ? [] : [countOf(guard, subject, velocity, now)],
  );
}

const daySeconds = 86_400;

/** The counter of wrong codes, which reports add to (wrong-codes.ts); starts only need room in it. */
export function wrongCodesOf(limit: number, accountId: string, destination: string, now: Date): StartCount {
  return countOf('wrong_codes', `${accountId} ${destination}`, { limit, seconds: daySeconds }, now);
}

function countOf(guard: CountedGuard, subject: string, velocity: Velocity, now: Date): StartCount {
  const window = velocity.seconds * 1000;
  return { guard, subject, velocity, windowStart: new Date(Math.floor(now.getTime() / window) * window) };
}

/** Whether a counter is below its limit. */
export async function hasRoom(
  db: Kysely<Schema>,
  { guard, subject, windowStart, velocity }: StartCount,
): Promise<boolean> {
  const { rows } = await sql<{ has_room: boolean }>`
    select count < ${velocity.limit} as has_room
    from starts_counted(${guard}, ${subject}, ${windowStart}::timestamptz)`.execute(db);
  return rows[0]?.has_room ?? true;
}

/** SQL: takes 1 off the counters in the column `counted_in` of `rows`, for a start of which nothing was sent. */
export const givingBack = (rows: string): RawBuilder<unknown> => sql`
    insert into verification_start_counts (guard, subject, window_start, count)
    select c.guard, c.subject, c.window_start, -1
    from ${sql.ref(rows)} r, jsonb_to_recordset(r.counted_in) as c(guard text, subject text, window_start timestamptz)`;

/** The counters that a start is counted in as they are stored with it; null when there are none. */
export function storedCounts(counts: readonly StartCount[]): object[] | null {
  const counted = counts.filter(({ guard }) => guard !== 'wrong_codes');
  if (counted.length === 0) return null;
  return counted.map(({ guard, subject, windowStart }) => ({ guard, subject, window_start: windowStart }));
}

/** One process folds a counter at a time; the others go on. */
export async function foldCounter({ db }: Environment, of: StartCount): Promise<void> {
  await sql`
    with turn as materialized (
      select from (select pg_try_advisory_xact_lock(${foldLock(of)}) as mine) t where mine
    ), folded as (
      delete from verification_start_counts s using turn
      where s.guard = ${of.guard} and s.subject = ${of.subject} and s.window_start = ${of.windowStart}
      returning s.guard, s.subject, s.window_start, s.count
    ) ${addingSums}`.execute(db);
}

/** Folds what is left of counters that few starts share, and forgets those of windows that began before `before`. */
export async function foldCounts({ db }: Environment, before: Date): Promise<void> {
  for (let folded = foldBatch; folded === foldBatch; ) {
    const { rows } = await sql<{ count: number }>`
      with folded as (
        delete from verification_start_counts where ctid = any(array(
          select ctid from verification_start_counts limit ${foldBatch} for update skip locked))
        returning guard, subject, window_start, count
      ), sums as (${addingSums})
      select count(*)::int as count from folded`.execute(db);
    folded = rows[0]?.count ?? 0;
  }
  await db.deleteFrom('verification_counters').where('window_start', '<', before).execute();
}

/** In the order of the key, so that two that fold do not deadlock. */
const addingSums = sql`
    insert into verification_counters as c (guard, subject, window_start, count)
    select guard, subject, window_start, sum(count) from folded group by 1, 2, 3 order by 1, 2, 3
    on conflict (guard, subject, window_start) do update set count = c.count + excluded.count`;

const foldLock = ({ guard, subject, windowStart }: StartCount) =>
  sql`hashtextextended(${`fold starts ${guard} ${subject} ${windowStart.getTime()}`}, 0)`;

/** Whole seconds until the window of a counter ends, at least 1. */
export function secondsLeft({ windowStart, velocity }: StartCount, now: Date): number {
  return Math.max(1, Math.ceil((windowStart.getTime() + velocity.seconds * 1000 - now.getTime()) / 1000));
}
