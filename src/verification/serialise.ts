/** The verification object of every answer, member by member as the specification lists them. */
import { formatTrimmed, parseAmount } from '../money/decimal.ts';
import { OUTCOMES, type OutcomeCode } from './errors.ts';
import type { DeliveryMethod } from './fields.ts';
import { SMS_TEMPLATES } from './languages/sms-templates.ts';
import { type Status, type StoredState, stateAt } from './state.ts';
import type { VerificationRow } from './verification-row.ts';

export interface VerificationObject {
  id: string;
  destination: string;
  delivery_method: DeliveryMethod;
  fee: string;
  status: Status;
  error_code: OutcomeCode | null;
  error_detail: string | null;
  expires_at: string;
  sms?: {
    template: string;
    language: string;
    interception_timeout: number;
    code_length: number;
    app_hash?: string;
    autofill?: { type: 'app_hash'; value: string };
  };
  callout?: { language: string; code_length: number };
}

/** What of a stored verification its response depends on. */
export type ShownRow = StoredState &
  Pick<
    VerificationRow,
    'id' | 'destination' | 'delivery_method' | 'fee' | 'language' | 'app_hash' | 'code_length' | 'code_timeout'
  >;

/** `newer` shows an application hash in the form of `autofill` as well: older clients read the one, newer ones the other. */
export function serialise(row: ShownRow, now: Date, newer = false): VerificationObject {
  const { status, errorCode } = stateAt(row, now);
  return {
    id: row.id,
    destination: row.destination,
    delivery_method: row.delivery_method,
    fee: formatTrimmed(parseAmount(row.fee)),
    status,
    error_code: errorCode,
    error_detail: errorCode === null ? null : OUTCOMES[errorCode][1],
    expires_at: row.expires_at.toISOString(),
    ...(row.delivery_method === 'sms' ? { sms: smsBlock(row, newer) } : { callout: calloutBlock(row) }),
  };
}

function smsBlock(row: ShownRow, newer: boolean): NonNullable<VerificationObject['sms']> {
  return {
    template: SMS_TEMPLATES[row.language] ?? '{{CODE}}',
    language: row.language,
    interception_timeout: row.code_timeout,
    code_length: row.code_length,
    ...(row.app_hash !== null && { app_hash: row.app_hash }),
    ...(row.app_hash !== null && newer && { autofill: { type: 'app_hash', value: row.app_hash } }),
  };
}

function calloutBlock(row: ShownRow) {
  return { language: row.language, code_length: row.code_length };
}
