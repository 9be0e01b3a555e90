/**
 * The operator's guards against abuse of starts: which guard refuses, and the error that the client gets. Guards with a limit
 * count starts per window (start-counts.ts). A start is counted by the statement that stores it and given back when nothing
 * could be sent, so starts that are denied, refused or not sent use up no budget.
 */
import type { Environment } from '../environment.ts';
import { numberFacts } from './destination.ts';
import { type ErrorCode, VerificationError } from './errors.ts';
import type { DeliveryMethod } from './fields.ts';
import type { VerificationSettings } from './settings.ts';
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
