/**
 * The operator's settings of the verification service: the defaults, and the values in the database that replace them.
 */

import { FieldError, flag, integer, listOf, nullable, object, oneOf, text } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { shippedFailureLimit, type Velocity } from '../../business/accounts/failed-authentication.ts';
import { keepUntilChanged } from '../../engines/db/kept.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment, EnvironmentName } from '../../engines/environment.ts';

export interface VerificationSettings {
  /** Failed authentications per address before everything from it is refused for the rest of the window. */
  failedAuthentication: Velocity | null;
  /** Requests a second in public mode from one address, and of one account; and of one account in any mode. */
  publicAddressRate: number | null;
  publicAccountRate: number | null;
  accountRate: number | null;
  /** Refuse a signature that was already used; off, as the specification allows a replay inside its five minutes. */
  refuseReplays: boolean;
  /** Off: `destinationBudget`, `prefixVelocity`, `blockPremium` and `conversionMode` are off, whatever they say. */
  pumpingGuards: boolean;
  /** Starts of one account for one number, whichever of its applications makes them. */
  destinationBudget: Velocity | null;
  /** Starts of one account for numbers that share their first digits. */
  prefixVelocity: (Velocity & { digits: number }) | null;
  /** Starts from one client address. */
  addressVelocity: Velocity | null;
  /** ISO countries that may be called; null allows all. */
  countries: readonly string[] | null;
  /** Refuse premium-rate, shared-cost and similar ranges; with `true` also every number that may be in one. */
  blockPremium: boolean | 'ranges';
  /**
   * Numbers that no numbering plan holds, as far as libphonenumber knows. With `allow` they may be started where no
   * guard depends on knowing them; `countries` and `blockPremium` (`true`) refuse them in any case.
   */
  unknownNumbers: 'allow' | 'refuse';
  /** Starts a day of one application, unless it has a limit of its own. */
  dailyVolume: number | null;
  /**
   * Wrong codes a day (UTC) for one number, over all starts of an account; then its starts are refused until the next
   * day.
   */
  dailyWrongCodes: number | null;
  /**
   * What happens to a prefix whose conversion collapses (conversion/guard-prefixes.ts): nothing, an entry, or a block;
   * `enforce` is an entry during the learning time, and a block after it.
   */
  conversionMode: 'off' | 'monitor' | 'enforce' | 'block';
  /** Days from the first code that was sent, in which `enforce` only makes entries. */
  conversionLearningDays: number;
  /** The time that is looked at. */
  conversionMinutes: number;
  /** Sent codes of one account and prefix below which nothing is decided. */
  conversionStarts: number;
  /** Percent of the codes that must come back. */
  conversionPercent: number;
  /** First digits that make a prefix. */
  conversionDigits: number;
  /** How long an automatic block lasts. */
  conversionBlockMinutes: number;
  /** Read `custom` and `sms.autofill`, which are newer than the specification. */
  newerFields: boolean;
  /** How long a final record stays readable. */
  retentionHours: number;
  /** The sender of text messages for which the application has none. */
  sender: string;
  /** The number that calls show where the application's sender is no number; without one no call is placed. */
  callerNumber: string | null;
  /** How long a called phone may ring. */
  ringSeconds: number;
  /** Calls of one account that a process carries at once; more wait in the queue. */
  accountCalls: number;
  /** `ring`: a call of the sandbox also rings a phone, through the sandbox's carriers at private addresses. */
  sandboxCalls: 'inbox' | 'ring';
}

export function shippedSettings(name: EnvironmentName): VerificationSettings {
  // Clients of the sandbox test with a few numbers again and again, and nothing there costs money.
  const inProduction = <T>(value: T): T | null => (name === 'production' ? value : null);
  return {
    failedAuthentication: shippedFailureLimit[name],
    // Public keys are in apps and pages, so anyone has them; an office behind one address stays well below this.
    publicAddressRate: inProduction(20),
    publicAccountRate: null,
    accountRate: null,
    refuseReplays: false,
    pumpingGuards: true,
    // A person who gets no code asks again a few times.
    destinationBudget: inProduction({ limit: 10, seconds: 3600 }),
    // Eight digits are a thousand numbers in many countries, a hundred thousand in a few. Who pumps needs many of one
    // range.
    prefixVelocity: inProduction({ limit: 100, seconds: 3600, digits: 8 }),
    addressVelocity: null,
    countries: null,
    blockPremium: inProduction('ranges' as const) ?? false,
    unknownNumbers: 'allow',
    dailyVolume: null,
    // Five starts that were all guessed wrong; without it a code of four digits could be guessed in a day.
    dailyWrongCodes: inProduction(15),
    conversionMode: inProduction('enforce' as const) ?? 'off',
    conversionLearningDays: 7,
    conversionMinutes: 60,
    conversionStarts: 50,
    conversionPercent: 10,
    conversionDigits: 6,
    conversionBlockMinutes: 360,
    newerFields: false,
    retentionHours: 48,
    sender: 'Verify',
    // In production it must be a number that the operator may use; calls of the sandbox show one of those for films.
    callerNumber: name === 'production' ? null : '15555550100',
    ringSeconds: 45,
    accountCalls: 20,
    sandboxCalls: 'inbox',
  };
}

type ReadSettings = () => Promise<VerificationSettings>;

/** The settings in force; read again when any process changes them. */
export function createSettingsReader(env: Environment): ReadSettings {
  const kept = keepUntilChanged<VerificationSettings>(env.changes, {
    outdatedBy: { verification_settings: () => true },
  });
  return () => kept.read('settings', () => readSettings(env));
}

export async function readSettings(env: Environment): Promise<VerificationSettings> {
  const row = await env.db.selectFrom('verification_settings').select('settings').executeTakeFirstOrThrow();
  return inForce({ ...shippedSettings(env.name), ...row.settings });
}

function inForce(settings: VerificationSettings): VerificationSettings {
  if (settings.pumpingGuards) return settings;
  return { ...settings, destinationBudget: null, prefixVelocity: null, blockPremium: false, conversionMode: 'off' };
}

/** Changes the named settings; `undefined` restores the default. */
export async function changeSettings(
  env: Environment,
  changes: Record<string, unknown>,
): Promise<VerificationSettings> {
  return inTransaction(env.db, async (trx) => {
    const row = await trx.selectFrom('verification_settings').select('settings').forUpdate().executeTakeFirstOrThrow();
    const stored = Object.fromEntries(
      Object.entries({ ...row.settings, ...changes }).filter(([, value]) => value !== undefined),
    );
    const settings = checkSettings({ ...shippedSettings(env.name), ...stored });
    await trx
      .updateTable('verification_settings')
      .set({ settings: JSON.stringify(stored) })
      .execute();
    return inForce(settings);
  });
}

const count = integer(1, 1_000_000_000);
const velocity = { limit: count, seconds: count };

const checked = object<VerificationSettings>({
  failedAuthentication: nullable(object(velocity)),
  publicAddressRate: nullable(count),
  publicAccountRate: nullable(count),
  accountRate: nullable(count),
  refuseReplays: flag,
  pumpingGuards: flag,
  destinationBudget: nullable(object(velocity)),
  prefixVelocity: nullable(object({ ...velocity, digits: integer(1, 15) })),
  addressVelocity: nullable(object(velocity)),
  countries: nullable(listOf(text(/^[A-Z]{2}$/, 'an ISO country such as DE'))),
  blockPremium: (value) => (value === 'ranges' ? value : flag(value)),
  unknownNumbers: oneOf('allow', 'refuse'),
  dailyVolume: nullable(count),
  dailyWrongCodes: nullable(count),
  conversionMode: oneOf('off', 'monitor', 'enforce', 'block'),
  conversionLearningDays: integer(1, 90),
  conversionMinutes: integer(10, 1440),
  conversionStarts: integer(5, 1_000_000),
  conversionPercent: integer(1, 99),
  conversionDigits: integer(1, 6),
  conversionBlockMinutes: integer(10, 525_600),
  newerFields: flag,
  retentionHours: integer(24, 1_000_000),
  sender: text(),
  callerNumber: nullable(text(/^\d{3,15}$/, 'a number of 3 to 15 digits')),
  ringSeconds: integer(5, 60),
  accountCalls: integer(1, 500),
  sandboxCalls: oneOf('inbox', 'ring'),
});

function checkSettings(settings: object): VerificationSettings {
  try {
    return checked(settings);
  } catch (error) {
    throw error instanceof FieldError ? new OperatorError(`${error.path} ${error.detail}.`) : error;
  }
}
