/** The operator's guards against abuse of starts: which one refuses, why, and what the client is told. */
import { sql } from 'kysely';
import type { Environment } from '../../environment.ts';
import type { OtpApplication } from '../applications/application.ts';
import { type ErrorCode, VerificationError } from '../errors.ts';
import type { DeliveryMethod } from '../fields.ts';
import type { Velocity, VerificationSettings } from '../settings.ts';
import { addressGroup } from './address-group.ts';
import { numberFacts } from './number-facts.ts';

export interface GuardedStart {
  application: OtpApplication;
  destination: string;
  deliveryMethod: DeliveryMethod;
  address: string;
}

type Reason =
  | 'country_not_allowed'
  | 'premium_number'
  | 'landline'
  | 'address_velocity'
  | 'destination_budget'
  | 'prefix_velocity'
  | 'daily_volume';

const ANSWERS: Record<Reason, ErrorCode> = {
  country_not_allowed: 'destination_not_supported_for_channel',
  premium_number: 'destination_not_supported_for_channel',
  landline: 'destination_not_supported_for_channel',
  address_velocity: 'rate_limit_per_ip',
  destination_budget: 'volume_limit_reached',
  prefix_velocity: 'volume_limit_reached',
  daily_volume: 'volume_limit_reached',
};

/** Throws when a guard refuses, after noting the start and the reason where the operator sees them. */
export async function guardStart(env: Environment, settings: VerificationSettings, start: GuardedStart): Promise<void> {
  const refusal = refusedByNumber(env, settings, start) ?? (await refusedByCount(env, settings, start));
  if (refusal === null) return;
  await env.db
    .insertInto('verification_blocked_starts')
    .values({
      application_id: start.application.id,
      destination: start.destination,
      delivery_method: start.deliveryMethod,
      address: start.address,
      reason: refusal.reason,
      created_at: env.clock.now(),
    })
    .execute();
  throw new VerificationError(ANSWERS[refusal.reason], refusal.wait);
}

interface Refusal {
  reason: Reason;
  /** Whole seconds until the window ends. */
  wait?: number;
}

function refusedByNumber(env: Environment, settings: VerificationSettings, start: GuardedStart): Refusal | null {
  // Sandbox numbers are nobody's: only what the operator has switched on counts there.
  const landlineMatters = env.name === 'production' && start.deliveryMethod === 'sms';
  if (settings.countries === null && !settings.blockPremium && !landlineMatters) return null;
  const facts = numberFacts(start.destination);
  if (settings.countries !== null && !settings.countries.includes(facts.country ?? '')) {
    return { reason: 'country_not_allowed' };
  }
  if (settings.blockPremium && facts.isPremium) return { reason: 'premium_number' };
  return landlineMatters && facts.isLandline ? { reason: 'landline' } : null;
}

async function refusedByCount(
  env: Environment,
  settings: VerificationSettings,
  start: GuardedStart,
): Promise<Refusal | null> {
  const { destination, application } = start;
  const daily = application.dailyLimit ?? settings.dailyVolume;
  const guards: [Reason, string, Velocity | null][] = [
    ['address_velocity', addressGroup(start.address), settings.addressVelocity],
    ['destination_budget', destination, settings.destinationBudget],
    ['prefix_velocity', destination.slice(0, settings.prefixVelocity?.digits), settings.prefixVelocity],
    ['daily_volume', application.id, daily === null ? null : { limit: daily, seconds: 86_400 }],
  ];
  for (const [reason, subject, velocity] of guards) {
    if (velocity === null) continue;
    const wait = await countStart(env, reason, subject, velocity);
    if (wait > 0) return { reason, wait };
  }
  return null;
}

/** Counts and compares in one statement, so that parallel starts cannot slip past together; 0 or the seconds to wait. */
async function countStart(
  env: Environment,
  guard: string,
  subject: string,
  { limit, seconds }: Velocity,
): Promise<number> {
  const now = env.clock.now().getTime();
  const windowStart = Math.floor(now / (seconds * 1000)) * seconds * 1000;
  const { rows } = await sql<{ count: number }>`
    insert into verification_counters as c (guard, subject, window_start, count)
    values (${guard}, ${subject}, ${new Date(windowStart)}, 1)
    on conflict (guard, subject, window_start) do update set count = c.count + 1
    returning count`.execute(env.db);
  if ((rows[0]?.count ?? 0) <= limit) return 0;
  return Math.max(1, Math.ceil((windowStart + seconds * 1000 - now) / 1000));
}
