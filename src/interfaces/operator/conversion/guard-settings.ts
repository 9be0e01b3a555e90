/** The settings of the verification service as words, as the command line and /operator/v1 read and write them. */
import { type Field, FieldError, mustBe, oneOf, text, wholeNumber } from '../../../base/fields.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import type { VerificationSettings } from '../../verification/settings.ts';

export type GuardName = keyof VerificationSettings;

const onOff: Field<boolean> = (value) => oneOf('on', 'off')(value) === 'on';
const count = wholeNumber(1, 1_000_000_000);

/** `LIMIT/SECONDS`, or the parts that are named. */
const velocity =
  (...parts: readonly string[]): Field<Record<string, number>> =>
  (value) => {
    const given = String(value).split('/');
    if (given.length !== parts.length) throw mustBe(parts.join('/').toUpperCase(), value);
    return Object.fromEntries(parts.map((part, index) => [part, count(given[index])]));
  };

const perWindow = velocity('limit', 'seconds');

/** What each setting is, and how its words are read; which values it may have is checked with all settings together. */
export const guardTexts: Readonly<Record<GuardName, { summary: string; read: Field<unknown> }>> = {
  failedAuthentication: { summary: 'LIMIT/SECONDS per address', read: perWindow },
  publicAddressRate: { summary: 'requests a second in public mode per address', read: count },
  publicAccountRate: { summary: 'requests a second in public mode per account', read: count },
  accountRate: { summary: 'requests a second per account', read: count },
  refuseReplays: { summary: 'on or off: refuse a signature that was used before', read: onOff },
  pumpingGuards: {
    summary: 'off switches off destinationBudget, prefixVelocity, blockPremium and conversionMode together',
    read: onOff,
  },
  destinationBudget: { summary: 'LIMIT/SECONDS of starts per account and number', read: perWindow },
  prefixVelocity: {
    summary: 'LIMIT/SECONDS/DIGITS of starts per account for numbers that share their first digits',
    read: velocity('limit', 'seconds', 'digits'),
  },
  addressVelocity: { summary: 'LIMIT/SECONDS of starts per client address', read: perWindow },
  countries: {
    summary: 'DE,AT,…: the only countries that are served',
    read: (value) =>
      String(value)
        .split(',')
        .map((iso) => iso.trim().toUpperCase()),
  },
  blockPremium: {
    summary: 'off, ranges or on: refuse premium-rate numbers; on also refuses numbers that no numbering plan holds',
    read: (value) => (value === 'ranges' ? value : oneOf('on', 'off', 'ranges')(value) === 'on'),
  },
  unknownNumbers: { summary: 'allow or refuse: numbers that no numbering plan holds', read: text() },
  dailyVolume: { summary: 'starts a day of one application', read: count },
  dailyWrongCodes: { summary: 'wrong codes a day per account and number, over all starts', read: count },
  conversionMode: {
    summary: 'off, monitor, enforce or block: what happens when few codes of a prefix come back',
    read: oneOf('off', 'monitor', 'enforce', 'block'),
  },
  conversionLearningDays: {
    summary: 'days from the first code in which conversionMode=enforce only watches',
    read: count,
  },
  conversionMinutes: { summary: 'the time that is looked at, 10 to 1440', read: count },
  conversionStarts: { summary: 'sent codes of an account and prefix below which nothing is decided', read: count },
  conversionPercent: { summary: 'percent of the codes that must come back', read: count },
  conversionDigits: { summary: 'first digits that make a prefix, 1 to 6', read: count },
  conversionBlockMinutes: { summary: 'how long an automatic block lasts', read: count },
  newerFields: { summary: 'on or off: read custom and sms.autofill at a start', read: onOff },
  retentionHours: { summary: 'how long a final record is kept, at least 24', read: count },
  sender: { summary: 'sender id for applications without one', read: text() },
  callerNumber: {
    summary: "number that calls show where the application's sender is none; production places no call without it",
    read: text(),
  },
  ringSeconds: { summary: 'how long a called phone may ring, 5 to 60', read: count },
  accountCalls: { summary: 'calls of one account at once in a process', read: count },
  sandboxCalls: { summary: 'inbox or ring: whether calls of the sandbox also ring a phone nearby', read: text() },
};

export const isGuard = (name: string): name is GuardName => Object.hasOwn(guardTexts, name);

export function formatGuard(value: unknown): string {
  if (value === null || value === false) return 'off';
  if (value === true) return 'on';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object') return String(value);
  const parts = new Map(Object.entries(value));
  return ['limit', 'seconds', 'digits'].flatMap((part) => parts.get(part) ?? []).join('/');
}

/** Their own words include `off`. */
const hasWordOff: ReadonlySet<GuardName> = new Set(['conversionMode', 'blockPremium']);

/** The value of `off`, or of other words; `default` is undefined, which restores what is shipped. */
export function readGuard(name: GuardName, words: string): unknown {
  const { read } = guardTexts[name];
  if (words === 'default') return undefined;
  if (words === 'off' && read !== onOff && !hasWordOff.has(name)) return null;
  try {
    return read(words);
  } catch (error) {
    throw error instanceof FieldError ? new OperatorError(`${name} ${error.detail}.`) : error;
  }
}
