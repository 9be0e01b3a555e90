/**
 * Errors for requests that reach no room (broken, too slow, too long URL, server busy), in the form of the interface
 * that their path names.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Outcome } from '../../engines/db/made-changes.ts';
import { retryAfterSeconds } from '../../engines/db/unavailable.ts';
import { errors } from '../../engines/jsonapi/errors.ts';
import { errorDocument, mediaType } from '../../engines/jsonapi/http.ts';
import { commonHeaders } from '../platform/v3/headers.ts';
import { newestVersion } from '../platform/versions/versions.ts';
import { type ErrorCode, errorEnvelope } from '../verification/errors.ts';
import { corsHeaders } from '../verification/responses.ts';
import { insideWorld } from '../worlds/world-path.ts';

type RefusedStatus = 400 | 404 | 405 | 408 | 414 | 417 | 431 | 503;

export interface Refusal {
  status: RefusedStatus;
  headers: Readonly<Record<string, string>>;
  body: string;
}

const details: Readonly<Record<Exclude<RefusedStatus, 503>, string>> = {
  400: 'The request is not valid HTTP.',
  404: 'There is nothing here.',
  405: 'The method is not allowed here.',
  408: 'The request did not arrive in time.',
  414: 'The URL may be at most 64 KiB long.',
  417: 'Only the expectation 100-continue is met.',
  431: 'The request headers are too large.',
};

/** `/api/v1` responds to a method that it does not have as to an unknown path. */
const codes: Readonly<Record<RefusedStatus, ErrorCode>> = {
  400: 'malformed_request',
  404: 'not_found',
  405: 'not_found',
  408: 'request_timeout',
  414: 'uri_too_long',
  417: 'expectation_failed',
  431: 'headers_too_large',
  503: 'service_unavailable',
};

/** `url` is null or cut short if the request broke before its first line was complete. */
export function refusalFor(url: string | null, status: RefusedStatus, origin?: string): Refusal {
  const path = insideWorld((url ?? '').replace(/^https?:\/\/[^/?#]*/i, ''));
  if (/^\/api\/v1(?:[/?]|$)/.test(path)) {
    const json = { ...corsHeaders, 'content-type': 'application/json; charset=utf-8' };
    const code = codes[status];
    const headers = status === 503 ? { ...json, ...later, 'x-outcome': nothing } : json;
    return { status: code === 'not_found' ? 404 : status, headers, body: JSON.stringify(errorEnvelope([code])) };
  }
  if (/^\/(?:v3|operator\/v1)(?:[/?]|$)/.test(path)) {
    const problem =
      status === 503 ? errors.unavailable() : errors.refused(status, STATUS_CODES[status] ?? '', details[status]);
    return {
      status,
      headers: { ...commonHeaders({ origin }), 'content-type': mediaType, ...(status === 503 ? later : {}) },
      body: JSON.stringify(errorDocument([problem], newestVersion)),
    };
  }
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const error = status === 404 ? 'Not found' : STATUS_CODES[status];
  if (status !== 503) return { status, headers: json, body: JSON.stringify({ error }) };
  return { status, headers: { ...json, ...later }, body: JSON.stringify({ error, outcome: nothing }) };
}

/** A request that is refused by its head has begun nothing. */
const nothing: Outcome = 'nothing_changed';
const later = { 'retry-after': String(retryAfterSeconds) };

/** By the code of Node's error; any other is 400. */
const brokenStatuses: Readonly<Record<string, RefusedStatus>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The URL of the request that a connection is busy with, for errors that come after its head was read. */
const currentUrls = new WeakMap<Socket, string>();

export function noteRequest(request: IncomingMessage): void {
  currentUrls.set(request.socket, request.url ?? '');
}

/**
 * Responds on the socket itself: bytes that are no HTTP request, or that do not arrive in time, never reach the hooks.
 */
export function refuseBrokenRequest(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const url = (late ? currentUrls.get(socket) : urlIn(error.rawPacket)) ?? null;
  const isOtherMethod = error.code === 'HPE_INVALID_METHOD' && url !== null;
  const { status, headers, body } = refusalFor(url, isOtherMethod ? 405 : (brokenStatuses[error.code ?? ''] ?? 400));
  const lines = Object.entries({
    ...headers,
    'x-request-id': randomUUID(),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'), () => socket.destroy());
}

/** Node would respond to an unknown `Expect` header with an empty 417; this response has the form of the interface. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = refusalFor(request.url ?? null, 417, request.headers.origin);
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, {
    ...headers,
    'x-request-id': randomUUID(),
    'content-length': length,
    connection: 'close',
  });
  response.end(body);
}

/** Reads the URL from the request line, if the broken bytes contain one. */
function urlIn(packet: unknown): string | null {
  return !Buffer.isBuffer(packet)
    ? null
    : (/^\S{1,20} (\S+) HTTP\/\d/.exec(packet.toString('latin1', 0, 4096))?.[1] ?? null);
}

const acceptableId = /^[\w.:+/=@-]{1,128}$/;

/** The id of a request in responses and logs: the client's own if it is short and printable, otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && acceptableId.test(given) ? given : randomUUID();
}
