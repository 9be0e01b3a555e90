/**
 * Starts a verification: all checks in the contract's order (1.4), then one transaction; a job then delivers the code.
 */

import { type Amount, parseAmount } from '../../business/money/decimal.ts';
import { runPrepared, statement } from '../../engines/db/statement.ts';
import type { OtpApplication } from './application.ts';
import { askForApproval } from './approval-callback.ts';
import type { Mode } from './authorization.ts';
import type { PrefixBlocks } from './conversion/prefix-blocks.ts';
import type { VerificationEnvironment } from './environment.ts';
import { type DenialCode, VerificationError } from './errors.ts';
import { faultPoint } from './fault-points.ts';
import type { StartFields } from './fields.ts';
import { insertDenied, insertPending, type NewVerification } from './insert-verification.ts';
import { calloutTexts, selectLanguage, smsTemplates } from './languages.ts';
import { costOf, type Quote, quoteOf } from './prices.ts';
import type { ShownRow } from './responses.ts';
import { scenarioOf } from './sandbox-scenarios.ts';
import type { VerificationSettings } from './settings.ts';
import { type GuardedStart, guardStart, reportingLimits } from './start-guards.ts';
import { uuidv7 } from './uuidv7.ts';
import { cooldownLeft, staleDispatchSeconds } from './verification.ts';

interface StartContext {
  env: VerificationEnvironment;
  settings: VerificationSettings;
  blocks: PrefixBlocks;
  application: OtpApplication;
  mode: Mode;
  /** The client's, for the guards. */
  address: string;
  machineNow: Date;
}

export async function startVerification(context: StartContext, fields: StartFields): Promise<ShownRow> {
  const { env, application } = context;
  const isBlocked = context.blocks.refuses(fields.destination, application.accountId, env.clock.now());
  const guarded: GuardedStart = { ...fields, application, address: context.address, isBlocked };
  const quote = await requireTerms(context, fields);
  const counts = await guardStart(env, context.settings, guarded);

  const verification: NewVerification = {
    id: uuidv7(env.clock),
    application,
    fields,
    language: selectLanguage(fields.deliveryMethod === 'sms' ? smsTemplates : calloutTexts, fields.languages),
    quote,
    settings: context.settings,
  };
  // No connection and no lock is held from here to the insert: the customer's server may be slow.
  const denial = await decide(context, verification);
  faultPoint('start.decided');
  if (denial !== null) return insertDenied(env, verification, denial);
  return reportingLimits(env, guarded, () => insertPending(env, verification, counts));
}

async function requireTerms({ env, application }: StartContext, fields: StartFields): Promise<Quote> {
  const terms = await startTerms(env, application, fields);
  requireRoute(env, fields, terms);
  requireBalance(terms);
  requireNoCooldown(env, terms);
  return terms.quote;
}

function needsApproval({ application: { callbackUrl }, mode }: StartContext): boolean {
  return mode === 'public' || (mode === 'basic' && callbackUrl !== null);
}

/** Asks the approval callback if the mode of the request requires it (specification, Events). */
async function decide(context: StartContext, { id, fields }: NewVerification): Promise<DenialCode | null> {
  const { env, application } = context;
  const { callbackUrl } = application;
  if (!needsApproval(context)) return null;
  if (callbackUrl === null) return 'denied_missing_callback_url';
  return askForApproval(env, application, callbackUrl, { ...fields, id }, context.machineNow);
}

function requireRoute(env: VerificationEnvironment, { destination }: StartFields, { reachable }: StartTerms): void {
  const refused = env.name === 'sandbox' ? scenarioOf(destination) === 'unsupported' : !reachable;
  if (refused) throw new VerificationError('destination_not_supported_for_channel');
}

/**
 * The balance must be positive and cover the cost. Checked again when the start is stored, because of parallel starts.
 */
function requireBalance({ available, quote }: StartTerms): void {
  if (available <= 0n || available < costOf(quote)) throw new VerificationError('balance_insufficient');
}

function requireNoCooldown(env: VerificationEnvironment, { startedAt }: StartTerms): void {
  const left = startedAt === null ? 0 : cooldownLeft(startedAt, env.clock.now());
  if (left > 0) throw new VerificationError('destination_in_cooldown', left);
}

/** What a start reads from the database before its checks, in one query. */
interface StartTerms {
  /** Balance and credit together, less what other open starts may still cost. */
  available: Amount;
  /** The rates of the longest prefix plus the account's VAT; zero in the sandbox. */
  quote: Quote;
  /** The last start for this number that was not denied. */
  startedAt: Date | null;
  /** A route matches; also true if the operator has set up no route at all, and the dispatch then fails. */
  reachable: boolean;
}

async function startTerms(
  env: VerificationEnvironment,
  application: OtpApplication,
  { destination, deliveryMethod }: StartFields,
): Promise<StartTerms> {
  const isSandbox = env.name === 'sandbox';
  const rate = (per: 'verification' | 'message') =>
    isSandbox
      ? statement`0::numeric`
      : statement`adjusted_price(a.id, ${per === 'message' ? 'verification_message' : 'verification'}, coalesce((
          select r.amount from verification_rates r
          where r.per = ${per} and r.delivery_method = ${deliveryMethod} and starts_with(${destination}, r.prefix)
          order by length(r.prefix) desc limit 1), 0), 4)`;
  // The start that this one supersedes will never be charged.
  const open = isSandbox
    ? statement`0`
    : statement`open_verification_fees(a.id, ${env.clock.now()}, ${staleDispatchSeconds}, s.verification_id)`;
  const reachable = isSandbox
    ? statement`true`
    : statement`exists (select 1 from verification_routes r
                  where r.delivery_method = ${deliveryMethod} and starts_with(${destination}, r.prefix))
          or not exists (select 1 from verification_routes r where r.delivery_method = ${deliveryMethod})`;
  const terms = statement<TermsRow>`
    select (a.balance + a.credit - a.held - ${open})::text as available,
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
