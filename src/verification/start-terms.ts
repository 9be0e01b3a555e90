/** What a start needs to know from the database before anything is decided, in one query. */
import { sql } from 'kysely';
import { runPrepared } from '../db/prepared.ts';
import type { Environment } from '../environment.ts';
import type { OtpApplication } from './applications/application.ts';
import type { StartFields } from './fields.ts';

export interface StartTerms {
  /** Balance and credit together. */
  available: string;
  /** The quote: the rate of the longest prefix plus the account's VAT; nothing in the sandbox. */
  fee: string;
  /** The last start for this number that was not denied. */
  startedAt: Date | null;
  /** Some route leads there; also true while the operator has set up none at all, and dispatch then fails. */
  reachable: boolean;
}

export async function startTerms(
  env: Environment,
  application: OtpApplication,
  { destination, deliveryMethod }: StartFields,
): Promise<StartTerms> {
  const isSandbox = env.name === 'sandbox';
  const rate = isSandbox
    ? sql`0`
    : sql`coalesce((
        select r.amount from verification_rates r
        where r.delivery_method = ${deliveryMethod} and starts_with(${destination}, r.prefix)
        order by length(r.prefix) desc limit 1), 0)`;
  const reachable = isSandbox
    ? sql`true`
    : sql`exists (select 1 from verification_routes r
                  where r.delivery_method = ${deliveryMethod} and starts_with(${destination}, r.prefix))
          or not exists (select 1 from verification_routes r where r.delivery_method = ${deliveryMethod})`;
  const statement = sql<StartTerms>`
    select (a.balance + a.credit)::text as available,
           round(${rate} * (1 + a.vat_rate / 100), 4)::text as fee,
           s.started_at as "startedAt",
           ${reachable} as reachable
    from accounts a
    left join verification_slots s on s.application_id = ${application.id} and s.destination = ${destination}
    where a.id = ${application.accountId}`;
  const [terms] = await runPrepared(env.pool, 'verification_terms', statement.compile(env.db));
  if (terms === undefined) throw new Error('the account of an application is gone');
  return terms;
}
