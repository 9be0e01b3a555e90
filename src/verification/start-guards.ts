/**
 * The operator's guards against abuse of starts: which guard refuses, and the error that the client gets. Guards with a limit
 * count starts per window. A start is counted in the transaction that stores it and given back when nothing could be sent,
 * so starts that are denied, refused or not sent use up no budget.
 */
import { type Kysely, sql } from 'kysely';
import { addressGroup } from '../accounts/allowed-ips.ts';
import type { Velocity } from '../accounts/failed-authentication.ts';
import type { Schema } from '../db/schema.ts';
import type { Environment } from '../environment.ts';
import type { OtpApplication } from './application.ts';
import { numberFacts } from './destination.ts';
import { type ErrorCode, VerificationError } from './errors.ts';
import type { DeliveryMethod } from './fields.ts';
import type { VerificationSettings } from './settings.ts';

export interface GuardedStart extends CountedStart {
  deliveryMethod: DeliveryMethod;
  /** The prefix of the number is blocked (conversion/prefix-blocks.ts). */
  isBlocked: boolean;
}

type Reason =
  | 'prefix_blocked'
  | 'unknown_number'
  | 'country_not_allowed'
  | 'premium_number'
  | 'landline'
  | CountedGuard;

const errorByReason: Record<Reason, ErrorCode> = {
  prefix_blocked: 'destination_not_supported_for_channel',
  unknown_number: 'destination_invalid',
  country_not_allowed: 'destination_not_supported_for_channel',
  premium_number: 'destination_not_supported_for_channel',
  landline: 'destination_not_supported_for_channel',
  address_velocity: 'rate_limit_per_ip',
  destination_budget: 'volume_limit_reached',
  prefix_velocity: 'volume_limit_reached',
  daily_volume: 'volume_limit_reached',
};

/**
 * Throws when a guard refuses. Returns the counters that the start has to be counted in when it is stored: whether
 * anything will be sent is not known before the approval callback has responded.
 */
export async function guardStart(
  env: Environment,
  settings: VerificationSettings,
  start: GuardedStart,
): Promise<StartCount[]> {
  const reason = refusedByNumber(env, settings, start);
  if (reason !== null) throw await refuse(env, start, reason);
  const counts = countsOf(settings, start, env.clock.now());
  return reportingLimits(env, start, async () => {
    await requireRoom(env.db, counts);
    return counts;
  });
}

/** Whether a guard may refuse this start. */
export function isGuarded(env: Environment, settings: VerificationSettings, start: GuardedStart): boolean {
  return refusedByNumber(env, settings, start) !== null || countsOf(settings, start, env.clock.now()).length > 0;
}

/** Runs `work`; if it reaches a limit, stores that for the operator and throws the client's error. */
export async function reportingLimits<T>(env: Environment, start: GuardedStart, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    throw await refuse(env, start, error.count.guard, secondsLeft(error.count, env.clock.now()));
  }
}

async function refuse(
  env: Environment,
  start: GuardedStart,
  reason: Reason,
  retryAfterSeconds?: number,
): Promise<VerificationError> {
  await env.db
    .insertInto('verification_blocked_starts')
    .values({
      application_id: start.application.id,
      destination: start.destination,
      delivery_method: start.deliveryMethod,
      address: start.address,
      reason,
      created_at: env.clock.now(),
    })
    .execute();
  return new VerificationError(errorByReason[reason], retryAfterSeconds);
}

function refusedByNumber(env: Environment, settings: VerificationSettings, start: GuardedStart): Reason | null {
  const { countries, blockPremium, unknownNumbers } = settings;
  if (start.isBlocked) return 'prefix_blocked';
  // In the sandbox only guards that the operator has switched on apply.
  const landlineMatters = env.name === 'production' && start.deliveryMethod === 'sms';
  if (countries === null && !blockPremium && unknownNumbers === 'allow' && !landlineMatters) return null;
  const facts = numberFacts(start.destination);
  if (!facts.isKnown && unknownNumbers === 'refuse') return 'unknown_number';
  if (countries !== null && !countries.includes(facts.country ?? '')) return 'country_not_allowed';
  // An unknown number may be a premium number.
  if (blockPremium && !facts.isKnown) return 'unknown_number';
  if (blockPremium && facts.isPremium) return 'premium_number';
  return landlineMatters && facts.isLandline ? 'landline' : null;
}

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

/** The counters of a start, always in the same order, so that starts that lock several do not deadlock. */
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

/** Called for a start of which nothing was sent. */
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

/** Whole seconds until the window of a counter ends, at least 1. */
export function secondsLeft({ windowStart, velocity }: StartCount, now: Date): number {
  return Math.max(1, Math.ceil((windowStart.getTime() + velocity.seconds * 1000 - now.getTime()) / 1000));
}
