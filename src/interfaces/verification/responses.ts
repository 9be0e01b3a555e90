/** Responses of `/api/v1`: the verification object, the error envelope, and the headers that let browsers read both. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatTrimmed, parseAmount } from '../../business/money/decimal.ts';
import { unavailability } from '../../engines/db/outcome.ts';
import { errorEnvelope, type OutcomeCode, outcomeTexts, VerificationError } from './errors.ts';
import type { DeliveryMethod } from './fields.ts';
import { smsTemplates } from './languages.ts';
import { type Status, type StoredState, stateAt, type VerificationRow } from './verification.ts';

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

/** The columns on which a response depends. */
export type ShownRow = StoredState &
  Pick<
    VerificationRow,
    'id' | 'destination' | 'delivery_method' | 'fee' | 'language' | 'app_hash' | 'code_length' | 'code_timeout'
  >;

/**
 * `newer` shows an application hash in the form of `autofill` as well: older clients read the one, newer ones the
 * other.
 */
export function serialise(row: ShownRow, now: Date, newer = false): VerificationObject {
  const { status, errorCode } = stateAt(row, now);
  return {
    id: row.id,
    destination: row.destination,
    delivery_method: row.delivery_method,
    fee: formatTrimmed(parseAmount(row.fee)),
    status,
    error_code: errorCode,
    error_detail: errorCode === null ? null : outcomeTexts[errorCode][1],
    expires_at: row.expires_at.toISOString(),
    ...(row.delivery_method === 'sms' ? { sms: smsBlock(row, newer) } : { callout: calloutBlock(row) }),
  };
}

function smsBlock(row: ShownRow, newer: boolean): NonNullable<VerificationObject['sms']> {
  return {
    template: smsTemplates[row.language] ?? '{{CODE}}',
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

/** Fastify's error handler for `/api/v1`. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const wait = unavailability(error);
  if (wait !== null) {
    request.log.warn({ err: error }, 'a verification request was refused for now');
    return reply
      .code(503)
      .header('retry-after', String(wait.retryAfter))
      .header('x-outcome', wait.outcome)
      .send(errorEnvelope(['service_unavailable']));
  }
  if (!(error instanceof VerificationError)) {
    request.log.error({ err: error }, 'a verification request failed');
    return reply.code(500).send(errorEnvelope(['internal_error']));
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  return reply.code(error.status).send(errorEnvelope(error.codes));
}

export function answerNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).send(errorEnvelope(['not_found']));
}

/** Any origin may call `/api/v1` from a browser: it uses no cookies (specification, Cross-origin use). */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After',
} as const;

export const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, Accept, x-timestamp, X-User-Agent',
  'access-control-max-age': '7200',
} as const;
