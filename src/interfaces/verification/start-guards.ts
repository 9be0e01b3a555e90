/**
 * The operator's guards against abuse of starts: which guard refuses, and the error that the client gets. Guards with a
 * limit count starts per window (start-counts.ts). A start is counted by the statement that stores it and given back
 * when nothing could be sent, so starts that are denied, refused or not sent use up no budget. By hand: it counts by
 * what the contract names, in the transaction of the start.
 */
import type { Environment } from '../../engines/environment.ts';
import { callerOf, isCalledByCarrier } from './delivery/caller-number.ts';
import { numberFacts } from './destination.ts';
import { type ErrorCode, VerificationError } from './errors.ts';
import type { DeliveryMethod } from './fields.ts';
import type { VerificationSettings } from './settings.ts';
import {
  type CountedGuard,
  type CountedStart,
  countsOf,
  LimitReached,
  type StartCount,
  secondsLeft,
  wrongCodesOf,
} from './start-counts.ts';
import { RefusedByGuard } from './store-start.ts';

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
  | 'caller_number_missing'
  | CountedGuard;

const errorByReason: Record<Reason, ErrorCode> = {
  prefix_blocked: 'destination_not_supported_for_channel',
  unknown_number: 'destination_invalid',
  country_not_allowed: 'destination_not_supported_for_channel',
  premium_number: 'destination_not_supported_for_channel',
  landline: 'destination_not_supported_for_channel',
  caller_number_missing: 'destination_not_supported_for_channel',
  address_velocity: 'rate_limit_per_ip',
  // On as shipped, so they have errors that every client of the contract knows (1.1).
  destination_budget: 'destination_in_cooldown',
  prefix_velocity: 'destination_in_cooldown',
  wrong_codes: 'destination_in_cooldown',
  daily_volume: 'volume_limit_reached',
};

/** The guard that refuses a start by its number or its caller; null if none does. */
export async function refusedBy(
  env: Environment,
  settings: VerificationSettings,
  start: GuardedStart,
): Promise<Reason | null> {
  return refusedByNumber(env, settings, start) ?? (await refusedByCaller(env, settings, start));
}

/** The counters that need room for a start, in the order of the guards. */
export function startCounts(settings: VerificationSettings, start: GuardedStart, now: Date): StartCount[] {
  const { dailyWrongCodes } = settings;
  const counts = countsOf(settings, start, now);
  if (dailyWrongCodes === null) return counts;
  return [wrongCodesOf(dailyWrongCodes, start.application.accountId, start.destination, now), ...counts];
}

/** Runs `work`; if a guard refuses the start, stores that for the operator and throws the client's error. */
export const reportingRefusals =
  (env: Environment, start: GuardedStart, reason: Reason | null) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RefusedByGuard && reason !== null) throw await refuse(env, start, reason);
      if (!(error instanceof LimitReached)) throw error;
      throw await refuse(env, start, error.count.guard, secondsLeft(error.count, env.clock.now()));
    }
  };

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

/** The operator uses calls, and has not said yet which number they show. */
async function refusedByCaller(
  env: Environment,
  settings: VerificationSettings,
  { deliveryMethod, destination, application }: GuardedStart,
): Promise<Reason | null> {
  if (env.name !== 'production' || deliveryMethod !== 'callout') return null;
  if (callerOf(application.senders, destination, settings) !== null) return null;
  return (await isCalledByCarrier(env, destination)) ? 'caller_number_missing' : null;
}

function refusedByNumber(env: Environment, settings: VerificationSettings, start: GuardedStart): Reason | null {
  const { countries, blockPremium, unknownNumbers } = settings;
  if (start.isBlocked) return 'prefix_blocked';
  // In the sandbox only guards that the operator has switched on apply.
  const landlineMatters = env.name === 'production' && start.deliveryMethod === 'sms';
  if (countries === null && blockPremium === false && unknownNumbers === 'allow' && !landlineMatters) return null;
  const facts = numberFacts(start.destination);
  if (!facts.isKnown && unknownNumbers === 'refuse') return 'unknown_number';
  if (countries !== null && !countries.includes(facts.country ?? '')) return 'country_not_allowed';
  if (blockPremium !== false && facts.isPremium) return 'premium_number';
  // Any other unknown number may be a premium number too.
  if (blockPremium === true && !facts.isKnown) return 'unknown_number';
  return landlineMatters && facts.isLandline ? 'landline' : null;
}
