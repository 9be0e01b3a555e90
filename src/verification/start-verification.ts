/** Starts a verification: all checks in the contract's order (1.4), then one transaction, then a job delivers the code. */
import type { Environment } from '../environment.ts';
import type { OtpApplication } from './applications/application.ts';
import { askForApproval } from './approval-callback.ts';
import type { Mode } from './authorization.ts';
import { cooldownLeft } from './cooldown.ts';
import { type DenialCode, VerificationError } from './errors.ts';
import { faultPoint } from './fault-points.ts';
import type { StartFields } from './fields.ts';
import { type GuardedStart, guardStart, reportingLimits } from './guards/start-guards.ts';
import { insertDenied, insertPending, type NewVerification } from './insert-verification.ts';
import { CALLOUT_TEXTS } from './languages/callout-texts.ts';
import { SMS_TEMPLATES } from './languages/sms-templates.ts';
import { selectLanguage } from './languages/tags.ts';
import { costOf } from './quote.ts';
import { scenarioOf } from './sandbox/scenarios.ts';
import type { VerificationSettings } from './settings.ts';
import { type StartTerms, startTerms } from './start-terms.ts';
import { uuidv7 } from './uuidv7.ts';
import type { VerificationRow } from './verification-row.ts';

export interface StartContext {
  env: Environment;
  settings: VerificationSettings;
  application: OtpApplication;
  mode: Mode;
  /** The client's, for the guards. */
  address: string;
  machineNow: Date;
}

export async function startVerification(context: StartContext, fields: StartFields): Promise<VerificationRow> {
  const { env, application } = context;
  const terms = await startTerms(env, application, fields);
  requireRoute(env, fields, terms);
  requireBalance(terms);
  requireNoCooldown(env, terms);
  const guarded: GuardedStart = { ...fields, application, address: context.address };
  const counts = await guardStart(env, context.settings, guarded);

  const verification: NewVerification = {
    id: uuidv7(env.clock),
    application,
    fields,
    language: selectLanguage(fields.deliveryMethod === 'sms' ? SMS_TEMPLATES : CALLOUT_TEXTS, fields.languages),
    quote: terms.quote,
    retentionHours: context.settings.retentionHours,
  };
  // From here to the insert no connection and no lock is held: the customer's server may take its time.
  const denial = await decide(context, verification);
  faultPoint('start.decided');
  if (denial !== null) return insertDenied(env, verification, denial);
  return reportingLimits(env, guarded, () => insertPending(env, verification, counts));
}

/** Who is asked, by the mode of the request (specification, Events). */
async function decide(context: StartContext, { id, fields }: NewVerification): Promise<DenialCode | null> {
  const { env, application, mode } = context;
  const { callbackUrl } = application;
  if (mode === 'application') return null;
  if (callbackUrl === null) return mode === 'public' ? 'denied_missing_callback_url' : null;
  return askForApproval(env, application, callbackUrl, { ...fields, id }, context.machineNow);
}

function requireRoute(env: Environment, { destination }: StartFields, { reachable }: StartTerms): void {
  const refused = env.name === 'sandbox' ? scenarioOf(destination) === 'unsupported' : !reachable;
  if (refused) throw new VerificationError('destination_not_supported_for_channel');
}

/** More than nothing, and at least what it may cost. Decided again when the start is written, among parallel ones. */
function requireBalance({ available, quote }: StartTerms): void {
  if (available <= 0n || available < costOf(quote)) throw new VerificationError('balance_insufficient');
}

function requireNoCooldown(env: Environment, { startedAt }: StartTerms): void {
  const left = startedAt === null ? 0 : cooldownLeft(startedAt, env.clock.now());
  if (left > 0) throw new VerificationError('destination_in_cooldown', left);
}
