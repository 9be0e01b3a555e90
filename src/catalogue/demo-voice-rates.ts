/**
 * The call rates of the demo: forwarding to telephone numbers, outbound calls, calls to toll-free numbers, name
 * lookups.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';

/**
 * Prefix, country, and the forwarding and termination rates per minute. The empty prefix is every other destination.
 */
const destinations = [
  ['', null, '0.09', '0.12'],
  ['1', 'United States', '0.011', '0.009'],
  ['31', 'Netherlands', '0.018', '0.014'],
  ['32', 'Belgium', '0.019', '0.015'],
  ['33', 'France', '0.016', '0.011'],
  ['34', 'Spain', '0.015', '0.01'],
  ['351', 'Portugal', '0.017', '0.012'],
  ['353', 'Ireland', '0.018', '0.013'],
  ['39', 'Italy', '0.017', '0.012'],
  ['41', 'Switzerland', '0.035', '0.03'],
  ['43', 'Austria', '0.021', '0.017'],
  ['44', 'United Kingdom', '0.012', '0.008'],
  ['45', 'Denmark', '0.016', '0.011'],
  ['46', 'Sweden', '0.013', '0.009'],
  ['47', 'Norway', '0.014', '0.01'],
  ['48', 'Poland', '0.017', '0.012'],
  ['49', 'Germany', '0.014', '0.0095'],
  ['55', 'Brazil', '0.03', '0.024'],
  ['61', 'Australia', '0.02', '0.016'],
  ['65', 'Singapore', '0.019', '0.015'],
  ['81', 'Japan', '0.04', '0.035'],
] as const;

export async function loadDemoVoiceRates(db: Kysely<Schema>): Promise<void> {
  const rates = destinations.flatMap(([prefix, country, forwarding, termination]) => [
    { kind: 'pstn_forwarding' as const, prefix, country, per_minute: forwarding },
    { kind: 'termination' as const, prefix, country, per_minute: termination },
  ]);
  const tollFree = {
    kind: 'toll_free' as const,
    prefix: '',
    per_minute: '0.03',
    initial_interval: 60,
    next_interval: 60,
  };
  // Caller names exist in North America only.
  const name = { kind: 'cnam_lookup' as const, prefix: '1', per_minute: '0', connection_fee: '0.008' };
  await db
    .insertInto('voice_rates')
    .values([...rates, tollFree, name])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
