/** What a start needs to know from the database before anything is decided, in one query. */
import { runPrepared } from '../db/prepared.ts';
import { statement } from '../db/statement.ts';
import type { Environment } from '../environment.ts';
import { type Amount, parseAmount } from '../money/decimal.ts';
import type { OtpApplication } from './applications/application.ts';
import type { StartFields } from './fields.ts';
import { type Quote, quoteOf } from './quote.ts';
import { STALE_DISPATCH_SECONDS } from './state.ts';

export interface StartTerms {
  /** Balance and credit together, less what other open starts may still cost. */
  available: Amount;
  /** The rates of the longest prefix plus the account's VAT; nothing in the sandbox. */
  quote: Quote;
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
  const rate = (per: 'verification' | 'message') =>
    isSandbox
      ? statement`0::numeric`
      : statement`coalesce((
          select r.amount from verification_rates r
          where r.per = ${per} and r.delivery_method = ${deliveryMethod} and starts_with(${destination}, r.prefix)
          order by length(r.prefix) desc limit 1), 0)`;
  // The start that this one supersedes will never be charged.
  const open = isSandbox
    ? statement`0`
    : statement`open_verification_fees(a.id, ${env.clock.now()}, ${STALE_DISPATCH_SECONDS}, s.verification_id)`;
  const reachable = isSandbox
    ? statement`true`
    : statement`exists (select 1 from verification_routes r
                  where r.delivery_method = ${deliveryMethod} and starts_with(${destination}, r.prefix))
          or not exists (select 1 from verification_routes r where r.delivery_method = ${deliveryMethod})`;
  const terms = statement<TermsRow>`
    select (a.balance + a.credit - ${open})::text as available,
           ${rate('verification')}::text as "feeRate", ${rate('message')}::text as "messageRate",
           a.vat_rate as "vatRate", s.started_at as "startedAt",
           ${reachable} as reachable
    from accounts a
    left join verification_slots s on s.application_id = ${application.id} and s.destination = ${destination}
    where a.id = ${application.accountId}`;
  const [row] = await runPrepared(env.pool, 'verification_terms', terms);
  if (row === undefined) throw new Error('the account of an application is gone');
  const { available, feeRate, messageRate, vatRate, ...rest } = row;
  return { ...rest, available: parseAmount(available), quote: quoteOf(feeRate, messageRate, vatRate) };
}

interface TermsRow extends Pick<StartTerms, 'startedAt' | 'reachable'> {
  available: string;
  feeRate: string;
  messageRate: string;
  vatRate: string;
}
