/** A verification whose code waits to be sent: its job, what is loaded for it, and the text. */

import type { Selectable } from 'kysely';
import { runPrepared, statement } from '../../../engines/db/statement.ts';
import type { OtpApplicationsTable, VerificationsTable } from '../../../engines/db/tables/verification.ts';
import type { Environment } from '../../../engines/environment.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import type { DeliveryMethod } from '../fields.ts';
import { calloutTexts, renderCallout, renderSms, smsTemplates } from '../languages.ts';
import { pendingAt } from '../verification.ts';

export type OfVerification = { verification_id: string };

export const dispatchTask = defineTask<OfVerification>('verification.dispatch', { priority: 'codes', outward: true });

export interface Dispatch {
  id: string;
  accountId: string;
  destination: string;
  deliveryMethod: DeliveryMethod;
  language: string;
  appHash: string | null;
  codeLength: number;
  codeTimeout: number;
  createdAt: Date;
  /** A process has begun to send it. */
  begun: boolean;
  /** The provider that was asked last. */
  providerId: string | null;
  senders: Readonly<Record<string, string>>;
}

/** What a start has stored, and nothing has happened to it since. */
type UnsentRow = Pick<
  Selectable<VerificationsTable>,
  | 'id'
  | 'account_id'
  | 'destination'
  | 'delivery_method'
  | 'language'
  | 'app_hash'
  | 'code_length'
  | 'code_timeout'
  | 'created_at'
>;

type WaitingRow = UnsentRow &
  Pick<Selectable<VerificationsTable>, 'dispatch_started_at' | 'dispatch_provider_id'> &
  Pick<Selectable<OtpApplicationsTable>, 'senders' | 'deleted_at'>;

/** Null when there is nothing to dispatch any more: sent, superseded, past its time, removed. */
export async function loadDispatch(
  env: Environment,
  id: string,
  now: Date,
): Promise<(Dispatch & { applicationDeleted: boolean }) | null> {
  const waiting = statement<WaitingRow>`
    select v.id, v.account_id, v.destination, v.delivery_method, v.language, v.app_hash, v.code_length, v.code_timeout, v.created_at,
           v.dispatch_started_at, v.dispatch_provider_id, a.senders, a.deleted_at
    from verifications v join otp_applications a on a.id = v.application_id
    where v.id = ${id} and v.dispatched_at is null and ${pendingAt(now, 'v')}`;
  const [row] = await runPrepared(env.pool, 'verification_load_dispatch', waiting);
  if (row === undefined) return null;
  return {
    ...firstDispatch(row, row.senders),
    begun: row.dispatch_started_at !== null,
    providerId: row.dispatch_provider_id,
    applicationDeleted: row.deleted_at !== null,
  };
}

/** Of a verification that was stored a moment ago. */
export function firstDispatch(row: UnsentRow, senders: Dispatch['senders']): Dispatch {
  return {
    id: row.id,
    accountId: row.account_id,
    destination: row.destination,
    deliveryMethod: row.delivery_method,
    language: row.language,
    appHash: row.app_hash,
    codeLength: row.code_length,
    codeTimeout: row.code_timeout,
    createdAt: row.created_at,
    begun: false,
    providerId: null,
    senders,
  };
}

/** The text that is sent or spoken. */
export function textOf(
  { deliveryMethod, language, appHash }: Pick<Dispatch, 'deliveryMethod' | 'language' | 'appHash'>,
  code: string,
): string {
  if (deliveryMethod === 'sms') return renderSms(smsTemplates[language] ?? '{{CODE}}', code, appHash);
  return renderCallout(calloutTexts[language] ?? { intro: '', again: '' }, code);
}
