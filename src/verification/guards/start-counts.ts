/**
 * Counts starts per window for the guards that have a limit. A start is counted in the transaction that stores it, and
 * given back when nothing could be sent: starts that were denied, refused or never sent use up nobody's budget.
 */
import { type Kysely, sql } from 'kysely';
import { addressGroup } from '../../accounts/address-group.ts';
import type { Velocity } from '../../accounts/failed-authentication.ts';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import type { OtpApplication } from '../applications/application.ts';
import type { VerificationSettings } from '../settings.ts';

export type CountedGuard = 'address_velocity' | 'destination_budget' | 'prefix_velocity' | 'daily_volume';

/** One counter that a start is counted in. */
export interface StartCount {
  guard: CountedGuard;
  subject: string;
  windowStart: Date;
  velocity: Velocity;
}

/** How a start's counters are stored with it, for giving them back. */
export interface StoredCount {
  guard: string;
  subject: string;
  window_start: string;
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

/** The counters of a start, always in the same order: whoever locks several locks them in this order. */
export function countsOf(settings: VerificationSettings, start: CountedStart, now: Date): StartCount[] {
  const { destination, application } = start;
  const daily = application.dailyLimit ?? settings.dailyVolume;
  const guards: [CountedGuard, string, Velocity | null][] = [
    ['address_velocity', addressGroup(start.address), settings.addressVelocity],
    ['destination_budget', destination, settings.destinationBudget],
    ['prefix_velocity', destination.slice(0, settings.prefixVelocity?.digits), settings.prefixVelocity],
    ['daily_volume', application.id, daily === null ? null : { limit: daily, seconds: 86_400 }],
  ];
  return guards.flatMap(([guard, subject, velocity]) => {
    if (velocity === null) return [];
    const window = velocity.seconds * 1000;
    return [{ guard, subject, velocity, windowStart: new Date(Math.floor(now.getTime() / window) * window) }];
  });
}

/** Throws LimitReached when a counter is at its limit already; counts nothing. */
export async function requireRoom(db: Kysely<Schema>, counts: readonly StartCount[]): Promise<void> {
  for (const count of counts) {
    const row = await db
      .selectFrom('verification_counters')
      .select('count')
      .where('guard', '=', count.guard)
      .where('subject', '=', count.subject)
      .where('window_start', '=', count.windowStart)
      .executeTakeFirst();
    if ((row?.count ?? 0) >= count.velocity.limit) throw new LimitReached(count);
  }
}

/** Counts and compares in one statement each, so that parallel starts cannot pass together. Throws LimitReached. */
export async function countStart(trx: Kysely<Schema>, counts: readonly StartCount[]): Promise<void> {
  for (const count of counts) {
    const { rows } = await sql`
      insert into verification_counters as c (guard, subject, window_start, count)
      values (${count.guard}, ${count.subject}, ${count.windowStart}, 1)
      on conflict (guard, subject, window_start) do update set count = c.count + 1
      where c.count < ${count.velocity.limit}
      returning count`.execute(trx);
    if (rows.length === 0) throw new LimitReached(count);
  }
}

/** For a start of which nothing was sent. */
export async function giveBack(env: Environment, counts: readonly StoredCount[]): Promise<void> {
  for (const { guard, subject, window_start: windowStart } of counts) {
    await env.db
      .updateTable('verification_counters')
      .set({ count: sql`count - 1` })
      .where('guard', '=', guard)
      .where('subject', '=', subject)
      .where('window_start', '=', new Date(windowStart))
      .where('count', '>', 0)
      .execute();
  }
}

/** Null when there is nothing to store. */
export function storedCounts(counts: readonly StartCount[]): StoredCount[] | null {
  if (counts.length === 0) return null;
  return counts.map(({ guard, subject, windowStart }) => ({
    guard,
    subject,
    window_start: windowStart.toISOString(),
  }));
}

/** Whole seconds until a counter starts anew, at least 1. */
export function secondsLeft({ windowStart, velocity }: StartCount, now: Date): number {
  return Math.max(1, Math.ceil((windowStart.getTime() + velocity.seconds * 1000 - now.getTime()) / 1000));
}
