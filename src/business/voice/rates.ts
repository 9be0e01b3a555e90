/** Rates of calls: the operator's price lists, and the price of a call in billing intervals, in integer arithmetic. */
import { sql } from 'kysely';
import { isDecimal } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { VoiceRatesTable } from '../../engines/db/tables/voice.ts';
import type { Environment } from '../../engines/environment.ts';
import { meteredPrice } from '../billing/vat.ts';
import { grossOf, parseAmount, type Taxed, timesRatio, toSql } from '../money/decimal.ts';

/** A price per minute. The first interval is always charged in full, then every further interval that has begun. */
export interface Rate {
  /** Per minute, VAT excluded; at most six decimals. */
  perMinute: string;
  connectionFee: string;
  initialInterval: number;
  nextInterval: number;
}

export interface Charge {
  rate: Rate;
  billedSeconds: number;
  price: Taxed;
}

/** Returns null for a call that never connected: it costs nothing. */
export function chargeFor(rate: Rate | null, seconds: number, vatRate: string): Charge | null {
  if (rate === null || seconds === 0) return null;
  const billedSeconds = billedDuration(rate, seconds);
  const fee = parseAmount(rate.connectionFee) * 6000n;
  // The sum is in millionths × 60; one division by 6000 brings it to ten-thousandths, rounded half up.
  const net = timesRatio(fee + millionths(rate.perMinute) * BigInt(billedSeconds), 1n, 6000n, 1n);
  return { rate, billedSeconds, price: meteredPrice(net, vatRate) };
}

/** Charges only the connection fee: a fixed price that does not depend on the duration. */
export function flatCharge(rate: Rate | null, vatRate: string): Charge | null {
  if (rate === null) return null;
  return { rate, billedSeconds: 0, price: meteredPrice(parseAmount(rate.connectionFee), vatRate) };
}

export function billedDuration(rate: Pick<Rate, 'initialInterval' | 'nextInterval'>, seconds: number): number {
  if (seconds <= rate.initialInterval) return rate.initialInterval;
  return rate.initialInterval + Math.ceil((seconds - rate.initialInterval) / rate.nextInterval) * rate.nextInterval;
}

/** Formats a rate for responses and events: trailing zeros trimmed, at least one decimal. */
export function shownRate(text: string): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.replace(/0+$/, '') || '0'}`;
}

/** The gross amount as text for a numeric column of a CDR. */
export const amountOf = (charge: Charge | null): string => toSql(charge === null ? 0n : grossOf(charge.price));

function millionths(text: string): bigint {
  const parts = /^(\d+)(?:\.(\d{1,6})0*)?$/.exec(text);
  if (!parts) throw new Error(`"${text}" is not a rate with at most six decimals`);
  return BigInt(parts[1] ?? '0') * 1_000_000n + BigInt((parts[2] ?? '').padEnd(6, '0'));
}

type RateKind = VoiceRatesTable['kind'];

export const rateKinds: readonly RateKind[] = ['pstn_forwarding', 'toll_free', 'termination', 'cnam_lookup'];

interface NewRate {
  kind: RateKind;
  /** Leading digits of the number; the empty prefix applies to every destination without its own rate. */
  prefix: string;
  perMinute: string;
  connectionFee?: string;
  initialInterval?: number;
  nextInterval?: number;
  country?: string | null;
  network?: string | null;
  /** Applies to one account only; default: all accounts. */
  accountId?: string | null;
}

/** The price of a prefix: the part that the operator's rates and those of carriers have in common. */
export type NewTerms = Pick<NewRate, 'prefix' | 'perMinute' | 'connectionFee' | 'initialInterval' | 'nextInterval'>;

/** Checks a price and returns it as columns. */
export function checkedTerms({ prefix, perMinute, connectionFee = '0', ...intervals }: NewTerms) {
  if (!/^\d{0,15}$/.test(prefix)) throw new OperatorError(`"${prefix}" is not a prefix of digits.`);
  for (const [amount, decimals] of [
    [perMinute, 6],
    [connectionFee, 4],
  ] as const) {
    if (!isDecimal(amount, { whole: 6, decimals })) {
      throw new OperatorError(`"${amount}" is not an amount such as 0.0125.`);
    }
  }
  const { initialInterval = 1, nextInterval = 1 } = intervals;
  if (
    ![initialInterval, nextInterval].every((seconds) => Number.isInteger(seconds) && seconds > 0 && seconds <= 3600)
  ) {
    throw new OperatorError('A billing interval is between 1 and 3600 seconds.');
  }
  return {
    prefix,
    per_minute: perMinute,
    connection_fee: connectionFee,
    initial_interval: initialInterval,
    next_interval: nextInterval,
  };
}

export async function setVoiceRate(env: Environment, rate: NewRate): Promise<void> {
  const terms = checkedTerms(rate);
  await sql`
    insert into voice_rates (account_id, kind, prefix, per_minute, connection_fee, initial_interval, next_interval, country, network)
    values (${rate.accountId ?? null}, ${rate.kind}, ${terms.prefix}, ${terms.per_minute}, ${terms.connection_fee},
            ${terms.initial_interval}, ${terms.next_interval}, ${rate.country ?? null}, ${rate.network ?? null})
    on conflict (kind, prefix, coalesce(account_id, '00000000-0000-0000-0000-000000000000')) do update
      set per_minute = excluded.per_minute, connection_fee = excluded.connection_fee,
          initial_interval = excluded.initial_interval, next_interval = excluded.next_interval,
          country = coalesce(excluded.country, voice_rates.country), network = coalesce(excluded.network, voice_rates.network)
  `.execute(env.db);
}

export function listVoiceRates(env: Environment) {
  return env.db
    .selectFrom('voice_rates')
    .leftJoin('accounts', 'accounts.id', 'voice_rates.account_id')
    .selectAll('voice_rates')
    .select('accounts.name as account_name')
    .orderBy('kind')
    .orderBy('prefix')
    .execute();
}
