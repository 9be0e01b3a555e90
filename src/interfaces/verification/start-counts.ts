/**
 * Counts starts for the guards that have a limit, across all processes. A start only adds rows
 * (verification_start_counts), so starts do not wait for each other, however many share a counter. Only the last starts
 * before a limit take turns, so that exactly as many pass as it allows. Rows are folded into one sum per counter
 * (verification_counters) when there are many.
 */

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { addressGroup } from '../../business/accounts/allowed-ips.ts';
import type { Velocity } from '../../business/accounts/failed-authentication.ts';
import type { Schema } from '../../engines/db/schema.ts';
import { type Statement, statement } from '../../engines/db/statement.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
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

/**
 * How many starts before a limit begin to take turns. Starts of one counter that are being stored at one moment, in all
 * processes, are far fewer: they have one database connection each. A limit up to this is always counted in turns.
 */
const turnsBefore = 100;
/** Adding up this many rows costs a start less than a tenth of a millisecond. */
const foldAbove = 200;
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

/** Throws LimitReached when a counter is at its limit already; counts nothing and waits for nobody. */
export async function requireRoom(db: Kysely<Schema>, counts: readonly StartCount[]): Promise<ReadCount[]> {
  const read = await readCounts(db, counts);
  const full = read.find(({ count, of }) => count >= of.velocity.limit);
  if (full !== undefined) throw new LimitReached(full.of);
  return read;
}

/** Whether a counter is below its limit. */
export async function hasRoom(db: Kysely<Schema>, of: StartCount): Promise<boolean> {
  const [read] = await readCounts(db, [of]);
  return read === undefined || read.count < of.velocity.limit;
}

/**
 * Runs `store`, which adds the rows of `addingCounts`, if every counter has room; otherwise throws LimitReached.
 * `store` gets a transaction if the start has to take its turn.
 */
export async function storeCounted<T>(
  env: Environment,
  counts: readonly StartCount[],
  store: (trx: Kysely<Schema> | null) => Promise<T>,
): Promise<T> {
  const read = await requireRoom(env.db, counts);
  for (const { of, rows } of read) if (rows > foldAbove) await foldCounter(env, of);
  const inTurn = read.filter(({ count, of }) => count + turnsBefore > of.velocity.limit);
  if (inTurn.length === 0) return store(null);
  return inTransaction(env.db, async (trx) => {
    for (const { of } of inTurn) await sql`select pg_advisory_xact_lock(${lockOf('count', of)})`.execute(trx);
    await requireRoom(trx, counts);
    return store(trx);
  });
}

/** SQL: adds 1 to the counters in the column `counted_in` of `rows`. */
export function addingCounts(rows: Statement): Statement {
  return statement`
    insert into verification_start_counts (guard, subject, window_start, count)
    select c.guard, c.subject, c.window_start, 1
    from ${rows} r, jsonb_to_recordset(r.counted_in) as c(guard text, subject text, window_start timestamptz)`;
}

/** The same for Kysely, for a start of which nothing was sent: takes 1 off. */
export const givingBack = (rows: string): RawBuilder<unknown> => sql`
    insert into verification_start_counts (guard, subject, window_start, count)
    select c.guard, c.subject, c.window_start, -1
    from ${sql.ref(rows)} r, jsonb_to_recordset(r.counted_in) as c(guard text, subject text, window_start timestamptz)`;

/** How a start's counters are stored with it; null when there are none. */
export function storedCounts(counts: readonly StartCount[]): string | null {
  if (counts.length === 0) return null;
  return JSON.stringify(
    counts.map(({ guard, subject, windowStart }) => ({ guard, subject, window_start: windowStart.toISOString() })),
  );
}

interface ReadCount {
  of: StartCount;
  count: number;
  /** Rows that are not folded. */
  rows: number;
}

/** One statement, so that a row that is folded at this moment counts once. */
async function readCounts(db: Kysely<Schema>, counts: readonly StartCount[]): Promise<ReadCount[]> {
  if (counts.length === 0) return [];
  const { rows } = await sql<{ count: number; rows: number }>`
    select (coalesce(folded.count, 0) + added.count)::int as count, added.rows
    from unnest(${counts.map(({ guard }) => guard)}::text[], ${counts.map(({ subject }) => subject)}::text[],
                ${counts.map(({ windowStart }) => windowStart)}::timestamptz[])
      with ordinality as k(guard, subject, window_start, position)
    left join verification_counters folded using (guard, subject, window_start)
    cross join lateral (
      select coalesce(sum(s.count), 0) as count, count(*)::int as rows from verification_start_counts s
      where s.guard = k.guard and s.subject = k.subject and s.window_start = k.window_start
    ) added
    order by k.position`.execute(db);
  return rows.flatMap((row, index) => {
    const of = counts[index];
    return of === undefined ? [] : [{ of, ...row }];
  });
}

/** One process folds a counter at a time; the others go on. */
async function foldCounter({ db }: Environment, of: StartCount): Promise<void> {
  await sql`
    with turn as materialized (
      select from (select pg_try_advisory_xact_lock(${lockOf('fold', of)}) as mine) t where mine
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

const lockOf = (what: 'count' | 'fold', { guard, subject, windowStart }: StartCount) =>
  sql`hashtextextended(${`${what} starts ${guard} ${subject} ${windowStart.getTime()}`}, 0)`;

/** Whole seconds until the window of a counter ends, at least 1. */
export function secondsLeft({ windowStart, velocity }: StartCount, now: Date): number {
  return Math.max(1, Math.ceil((windowStart.getTime() + velocity.seconds * 1000 - now.getTime()) / 1000));
}
