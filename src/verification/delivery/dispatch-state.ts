/** A verification that waits for its dispatch, and the ways in which that ends. */
import type { Selectable } from 'kysely';
import { runPrepared } from '../../db/prepared.ts';
import { statement } from '../../db/statement.ts';
import type { OtpApplicationsTable, VerificationsTable } from '../../db/tables/verification.ts';
import type { Environment } from '../../environment.ts';
import type { OutcomeCode } from '../errors.ts';
import type { DeliveryMethod } from '../fields.ts';
import { giveBack } from '../guards/start-counts.ts';
import { CALLOUT_TEXTS, renderCallout } from '../languages/callout-texts.ts';
import { renderSms, SMS_TEMPLATES } from '../languages/sms-templates.ts';
import { pendingAt, stillPending } from '../unfinished.ts';

export interface Dispatch {
  id: string;
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
  senders: Record<string, string>;
  applicationDeleted: boolean;
}

type WaitingRow = Pick<
  Selectable<VerificationsTable>,
  | 'id'
  | 'destination'
  | 'delivery_method'
  | 'language'
  | 'app_hash'
  | 'code_length'
  | 'code_timeout'
  | 'created_at'
  | 'dispatch_started_at'
  | 'dispatch_provider_id'
> &
  Pick<Selectable<OtpApplicationsTable>, 'senders' | 'deleted_at'>;

/** Null when there is nothing to dispatch any more: sent, superseded, past its time, removed. */
export async function loadDispatch(env: Environment, id: string, now: Date): Promise<Dispatch | null> {
  const waiting = statement<WaitingRow>`
    select v.id, v.destination, v.delivery_method, v.language, v.app_hash, v.code_length, v.code_timeout, v.created_at,
           v.dispatch_started_at, v.dispatch_provider_id, a.senders, a.deleted_at
    from verifications v join otp_applications a on a.id = v.application_id
    where v.id = ${id} and v.dispatched_at is null and ${pendingAt(now, 'v')}`;
  const [row] = await runPrepared(env.pool, 'verification_load_dispatch', waiting);
  if (row === undefined) return null;
  return {
    id: row.id,
    destination: row.destination,
    deliveryMethod: row.delivery_method,
    language: row.language,
    appHash: row.app_hash,
    codeLength: row.code_length,
    codeTimeout: row.code_timeout,
    createdAt: row.created_at,
    begun: row.dispatch_started_at !== null,
    providerId: row.dispatch_provider_id,
    senders: row.senders,
    applicationDeleted: row.deleted_at !== null,
  };
}

/** What is sent or said. */
export function textOf({ deliveryMethod, language, appHash }: Dispatch, code: string): string {
  if (deliveryMethod === 'sms') return renderSms(SMS_TEMPLATES[language] ?? '{{CODE}}', code, appHash);
  return renderCallout(CALLOUT_TEXTS[language] ?? { intro: '', again: '' }, code);
}

/** The dispatch has ended without a message: the record fails, unless something else has ended it, and counts for no guard. */
export async function endDispatch(env: Environment, id: string, errorCode: OutcomeCode): Promise<void> {
  const now = env.clock.now();
  const ended = await env.db
    .updateTable('verifications')
    .set({ status: 'failed', error_code: errorCode, final_at: now })
    .where('id', '=', id)
    .where(stillPending(now))
    .returning('counted_in')
    .executeTakeFirst();
  // Not in one transaction: a start locks its counters before the record that it supersedes, and this one after it.
  await giveBack(env, ended?.counted_in ?? []);
}
