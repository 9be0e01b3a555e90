/** Errors that no room gets to see (broken requests, timeouts, too long URLs), in the form of the interface they came for. */
import { STATUS_CODES } from 'node:http';
import { errors } from '../jsonapi/errors.ts';
import { errorDocument, MEDIA_TYPE, originHeaders } from '../jsonapi/http.ts';
import { NEWEST_VERSION } from '../platform/versions/versions.ts';
import { type ErrorCode, errorEnvelope } from '../verification/errors.ts';
import { corsHeaders } from '../verification/responses.ts';

export type RefusedStatus = 400 | 404 | 405 | 408 | 414 | 417 | 431 | 503;

export interface Refusal {
  status: RefusedStatus;
  headers: Readonly<Record<string, string>>;
  body: string;
}

const DETAILS: Readonly<Record<RefusedStatus, string>> = {
  400: 'The request is not valid HTTP.',
  404: 'There is nothing here.',
  405: 'The method is not allowed here.',
  408: 'The request did not arrive in time.',
  414: 'The URL may be at most 64 KiB long.',
  417: 'Only the expectation 100-continue is met.',
  431: 'The request headers are too large.',
  503: 'The server is busy. Try again in a moment.',
};

/** `/api/v1` has no routes by other methods, which it answers as any unknown path. */
const CODES: Readonly<Record<RefusedStatus, ErrorCode>> = {
  400: 'malformed_request',
  404: 'not_found',
  405: 'not_found',
  408: 'request_timeout',
  414: 'uri_too_long',
  417: 'expectation_failed',
  431: 'headers_too_large',
  503: 'service_unavailable',
};

/** `url` may be null or cut short: a request can break before it is known. */
export function refusalFor(url: string | null, status: RefusedStatus, origin?: string): Refusal {
  const path = (url ?? '').replace(/^https?:\/\/[^/?#]*/i, '');
  if (/^\/api\/v1(?:[/?]|$)/.test(path)) {
    const json = { ...corsHeaders, 'content-type': 'application/json; charset=utf-8' };
    const code = CODES[status];
    return { status: code === 'not_found' ? 404 : status, headers: json, body: JSON.stringify(errorEnvelope([code])) };
  }
  if (/^\/v3(?:[/?]|$)/.test(path)) {
    const problem = errors.refused(status, STATUS_CODES[status] ?? '', DETAILS[status]);
    return {
      status,
      headers: { ...originHeaders(origin), 'content-type': MEDIA_TYPE },
      body: JSON.stringify(errorDocument([problem], NEWEST_VERSION)),
    };
  }
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const error = status === 404 ? 'Not found' : STATUS_CODES[status];
  return { status, headers: json, body: JSON.stringify({ error }) };
}
