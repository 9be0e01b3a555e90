/** The operator's guards against abuse of starts: which one refuses, why, and what the client is told. */
import type { Environment } from '../../environment.ts';
import { numberFacts } from '../destination.ts';
import { type ErrorCode, VerificationError } from '../errors.ts';
import type { DeliveryMethod } from '../fields.ts';
import type { VerificationSettings } from '../settings.ts';
import {
  type CountedGuard,
  type CountedStart,
  countsOf,
  LimitReached,
  requireRoom,
  type StartCount,
  secondsLeft,
} from './start-counts.ts';

export interface GuardedStart extends CountedStart {
  deliveryMethod: DeliveryMethod;
}

type Reason = 'unknown_number' | 'country_not_allowed' | 'premium_number' | 'landline' | CountedGuard;

const RESPONSES: Record<Reason, ErrorCode> = {
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
 * anything will be sent is not known before the approval callback has answered.
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

/** Does the work; a limit that it meets is noted for the operator and told to the client. */
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
  return new VerificationError(RESPONSES[reason], retryAfterSeconds);
}

function refusedByNumber(env: Environment, settings: VerificationSettings, start: GuardedStart): Reason | null {
  const { countries, blockPremium, unknownNumbers } = settings;
  // Sandbox numbers belong to nobody: only what the operator has switched on counts there.
  const landlineMatters = env.name === 'production' && start.deliveryMethod === 'sms';
  if (countries === null && !blockPremium && unknownNumbers === 'allow' && !landlineMatters) return null;
  const facts = numberFacts(start.destination);
  if (!facts.isKnown && unknownNumbers === 'refuse') return 'unknown_number';
  if (countries !== null && !countries.includes(facts.country ?? '')) return 'country_not_allowed';
  // A number that nobody can tell from a premium one does not pass for an ordinary one.
  if (blockPremium && !facts.isKnown) return 'unknown_number';
  if (blockPremium && facts.isPremium) return 'premium_number';
  return landlineMatters && facts.isLandline ? 'landline' : null;
}
