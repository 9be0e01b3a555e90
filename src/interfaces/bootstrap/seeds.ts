/**
 * Records that a sandbox can begin with, as data: numbers for sale and, per account, owned numbers, past calls and
 * verifications. The bootstrap file, `trunkline seed` and `POST /sandbox/v1/seed` read the same members.
 */

import {
  type Field,
  FieldError,
  flag,
  integer,
  listOf,
  mustBe,
  nullable,
  object,
  oneOf,
  text,
  withDefault,
} from '../../base/fields.ts';
import { price } from '../../business/catalogue/rows.ts';
import { type OutcomeCode, outcomeTexts } from '../verification/errors.ts';

/** Which number: this one, or any of a country and type. */
export interface NumberSeed {
  number: string | null;
  country: string;
  type: string;
  prefix: string | null;
  area: string | null;
  needs_registration: boolean | null;
  features: string[] | null;
  setup_price: string;
  monthly_price: string;
  channels: number;
}

export interface StockSeed extends NumberSeed {
  /** At least so many are for sale afterwards. */
  count: number;
}

const numberStates = ['active', 'awaiting_registration', 'blocked', 'canceled', 'expired'] as const;
type NumberState = (typeof numberStates)[number];

export interface OwnedNumberSeed extends NumberSeed {
  state: NumberState;
  description: string | null;
  bought_at: string | null;
  expires_at: string | null;
  billing_cycles_count: number | null;
}

export interface CallSeed {
  number: string;
  src_number: string;
  at: string;
  ring_seconds: number;
  talk_seconds: number;
  code: number;
}

export interface VerificationSeed {
  application: string | null;
  destination: string;
  delivery_method: 'sms' | 'callout';
  status: 'pending' | 'verified' | 'failed' | 'expired' | 'denied';
  error_code: OutcomeCode | null;
  code: string | null;
  created_at: string | null;
}

/** What an account of a sandbox may have beside its keys. */
export interface AccountSeeds {
  numbers?: OwnedNumberSeed[] | undefined;
  calls?: CallSeed[] | undefined;
  verifications?: VerificationSeed[] | undefined;
}

function optional<T>(field: Field<T>): Field<T | undefined> {
  return (value) => (value === undefined ? undefined : field(value));
}

const duration = /^([+-])P(?=[\dT])(?:(\d{1,5})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?$/;

/** A time, or how far it is from now: `-P3D` is three days ago, `+PT1H` in an hour. */
const moment: Field<string> = (value) => {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value);
  if (typeof value === 'string' && ((isTime && !Number.isNaN(Date.parse(value))) || duration.test(value))) return value;
  throw mustBe('a time such as "2026-03-01T12:00:00Z", or a distance from now such as "-P3D" or "+PT1H"', value);
};

export function momentOf(value: string, now: Date): Date {
  const found = duration.exec(value);
  if (found === null) return new Date(value);
  const [, sign, ...parts] = found;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
  const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  return new Date(now.getTime() + (sign === '-' ? -ms : ms));
}

/** Records of the past lie in partitions by month, and periods are counted one by one. */
const mostYears = 5;

/** A moment in the past that is not too long ago; whether it has come is for the caller to say. */
export function pastMoment(path: string, value: string, now: Date): Date {
  const at = momentOf(value, now);
  const earliest = Date.UTC(now.getUTCFullYear() - mostYears, now.getUTCMonth(), now.getUTCDate());
  if (at.getTime() < earliest) throw new FieldError(`must be within the last ${mostYears} years`, { path });
  return at;
}

const digits = text(/^[1-9]\d{5,14}$/, 'a number in E.164 digits without "+"');
const someDigits = text(/^\+?\d{1,32}$/, 'a number in digits');

const numberMembers: { [K in keyof NumberSeed]: Field<NumberSeed[K]> } = {
  number: nullable(digits),
  country: text(/^[A-Z]{2}$/, 'two capital letters'),
  type: withDefault(text(), 'Local'),
  prefix: nullable(text(/^\d{0,10}$/, 'digits')),
  area: nullable(text()),
  needs_registration: nullable(flag),
  features: nullable(listOf(text())),
  setup_price: withDefault(price, '0.00'),
  monthly_price: withDefault(price, '1.00'),
  channels: withDefault(integer(0, 1000), 2),
};

const stock = object<StockSeed>({ ...numberMembers, count: withDefault(integer(1, 1000), 1) });

const outcomes = Object.keys(outcomeTexts).filter(isOutcome);

function isOutcome(code: string): code is OutcomeCode {
  return Object.hasOwn(outcomeTexts, code);
}

const ownedNumber = object<OwnedNumberSeed>({
  ...numberMembers,
  state: withDefault(oneOf(...numberStates), 'active'),
  description: nullable(text()),
  bought_at: nullable(moment),
  expires_at: nullable(moment),
  billing_cycles_count: nullable(integer(0, 999)),
});

const call = object<CallSeed>({
  number: digits,
  src_number: someDigits,
  at: moment,
  ring_seconds: withDefault(integer(0, 3600), 0),
  talk_seconds: withDefault(integer(0, 86_400), 0),
  code: withDefault(integer(200, 699), 200),
});

const verification = object<VerificationSeed>({
  application: nullable(text()),
  destination: text(/^\+?[1-9]\d{5,14}$/, 'a number in E.164 digits'),
  delivery_method: withDefault(oneOf('sms', 'callout'), 'sms'),
  status: withDefault(oneOf('pending', 'verified', 'failed', 'expired', 'denied'), 'pending'),
  error_code: nullable(oneOf(...outcomes)),
  code: nullable(text(/^\d{4,8}$/, 'four to eight digits')),
  created_at: nullable(moment),
});

export const stockSeeds = optional(listOf(stock));

export const accountSeeds: { [K in keyof AccountSeeds]-?: Field<AccountSeeds[K]> } = {
  numbers: optional(listOf(ownedNumber)),
  calls: optional(listOf(call)),
  verifications: optional(listOf(verification)),
};

/** The same lists as they were sent, for readers that check a long one in slices, with the readers of their entries. */
export const sentList = optional(listOf<unknown>((entry) => entry));
export const entryOf = { stock, numbers: ownedNumber, calls: call, verifications: verification };
