/**
 * Starts a verification: what can be said without the database, then one function of it (store-start.ts), which makes
 * all checks in the contract's order (1.4) and stores the start; a job then delivers the code. A start that the
 * customer has to approve is checked once before the customer is asked.
 */
import type { OtpApplication } from './application.ts';
import { askForApproval } from './approval-callback.ts';
import type { Mode } from './authorization.ts';
import type { PrefixBlocks } from './conversion/prefix-blocks.ts';
import type { VerificationEnvironment } from './environment.ts';
import type { DenialCode } from './errors.ts';
import { faultPoint } from './fault-points.ts';
import type { StartFields } from './fields.ts';
import { calloutTexts, selectLanguage, smsTemplates } from './languages.ts';
import type { ShownRow } from './responses.ts';
import type { VerificationSettings } from './settings.ts';
import { type GuardedStart, refusedBy, reportingRefusals, startCounts } from './start-guards.ts';
import { insertDenied, insertPending, type NewVerification, requireStart } from './store-start.ts';
import { uuidv7 } from './uuidv7.ts';

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
  const { env, settings, application, address } = context;
  const isBlocked = context.blocks.refuses(fields.destination, application.accountId, env.clock.now());
  const guarded: GuardedStart = { ...fields, application, address, isBlocked };
  const reason = await refusedBy(env, settings, guarded);
  const verification: NewVerification = {
    id: uuidv7(env.clock),
    application,
    fields,
    language: selectLanguage(fields.deliveryMethod === 'sms' ? smsTemplates : calloutTexts, fields.languages),
    settings,
    isRefused: reason !== null,
    counts: startCounts(settings, guarded, env.clock.now()),
  };
  const reporting = reportingRefusals(env, guarded, reason);
  if (needsApproval(context)) {
    const fee = await reporting(() => requireStart(env, verification));
    // No connection and no lock is held here: the customer's server may be slow.
    const denial = await askCustomer(context, verification);
    faultPoint('start.decided');
    if (denial !== null) return insertDenied(env, verification, denial, fee);
  } else faultPoint('start.decided');
  return reporting(() => insertPending(env, verification));
}

function needsApproval({ application: { callbackUrl }, mode }: StartContext): boolean {
  return mode === 'public' || (mode === 'basic' && callbackUrl !== null);
}

/** Asks the approval callback, as the mode of the request requires (specification, Events). */
async function askCustomer(context: StartContext, { id, fields }: NewVerification): Promise<DenialCode | null> {
  const { env, application } = context;
  const { callbackUrl } = application;
  if (callbackUrl === null) return 'denied_missing_callback_url';
  return askForApproval(env, application, callbackUrl, { ...fields, id }, context.machineNow);
}
