/** The price lists of calls, set and listed by an operator. */
import { sql } from 'kysely';
import type { VoiceRatesTable } from '../db/tables/voice.ts';
import type { Environment } from '../environment.ts';
import { OperatorError } from '../operator-error.ts';

export type RateKind = VoiceRatesTable['kind'];

export const rateKinds: readonly RateKind[] = ['pstn_forwarding', 'toll_free', 'termination', 'cnam_lookup'];

export interface NewRate {
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

export async function setVoiceRate(env: Environment, rate: NewRate): Promise<void> {
  if (!/^\d{0,15}$/.test(rate.prefix)) throw new OperatorError(`"${rate.prefix}" is not a prefix of digits.`);
  const { perMinute, connectionFee = '0' } = rate;
  for (const [amount, shape] of [
    [perMinute, /^\d{1,6}(\.\d{1,6})?$/],
    [connectionFee, /^\d{1,6}(\.\d{1,4})?$/],
  ] as const) {
    if (!shape.test(amount)) throw new OperatorError(`"${amount}" is not an amount such as 0.0125.`);
  }
  const { initialInterval = 1, nextInterval = 1 } = rate;
  if (
    ![initialInterval, nextInterval].every((seconds) => Number.isInteger(seconds) && seconds > 0 && seconds <= 3600)
  ) {
    throw new OperatorError('A billing interval is between 1 and 3600 seconds.');
  }
  await sql`
    insert into voice_rates (account_id, kind, prefix, per_minute, connection_fee, initial_interval, next_interval, country, network)
    values (${rate.accountId ?? null}, ${rate.kind}, ${rate.prefix}, ${perMinute}, ${connectionFee},
            ${initialInterval}, ${nextInterval}, ${rate.country ?? null}, ${rate.network ?? null})
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
