/**
 * The number that a spoken code shows. Without one no call is placed: carriers and phones refuse withheld numbers, or
 * should.
 */
import { sql } from 'kysely';
import type { Environment } from '../../../engines/environment.ts';
import type { OtpApplication } from '../application.ts';
import { countryOf } from '../destination.ts';
import type { VerificationSettings } from '../settings.ts';

/** The application's sender if it is a number, otherwise the operator's setting; null if there is neither. */
export function callerOf(
  senders: OtpApplication['senders'],
  destination: string,
  { callerNumber }: Pick<VerificationSettings, 'callerNumber'>,
): string | null {
  const country = Object.keys(senders).length > 0 ? countryOf(destination) : null;
  const sender = senders[country ?? 'default'] ?? senders.default ?? '';
  return /^\+?\d{3,15}$/.test(sender) ? sender.replace('+', '') : callerNumber;
}

/** Whether a code for this number would be spoken by a call of our own: a carrier leads there, and no provider. */
export async function isCalledByCarrier({ db }: Environment, destination: string): Promise<boolean> {
  const { rows } = await sql<{ called: boolean }>`
    select exists (select from carrier_routes r where starts_with(${destination}, r.prefix))
      and not exists (
        select from verification_routes r join verification_providers p on p.id = r.provider_id and p.enabled
        where r.delivery_method = 'callout' and starts_with(${destination}, r.prefix)) as called`.execute(db);
  return rows[0]?.called === true;
}
