/** The request, response and error types of the guarded HTTP client. */
import type { IncomingHttpHeaders } from 'node:http';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Total time, from DNS lookup to the end of the response. */
  timeoutMs?: number;
  /** Maximum time without data once connected: before the response headers, and between parts of the body. */
  readTimeoutMs?: number;
  maxResponseBytes?: number;
  /** What happens to a longer response: it is cut, or the request fails as `response_too_large`. */
  oversize?: 'cut' | 'fail';
  /** Sends the body only after 100 Continue (`Expect: 100-continue`). */
  expectContinue?: boolean;
  /**
   * Uses a new connection and closes it afterwards. For requests that must not be repeated: if the receiver has just
   * closed a kept-alive connection, it is unknown whether the request arrived. Other requests are then sent once more.
   */
  freshConnection?: boolean;
  /** Aborts the request, which fails as `aborted`. */
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Why a request got no usable response. */
export type OutboundErrorKind =
  | 'invalid_url'
  | 'address_refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'response_too_large'
  | 'protocol'
  | 'aborted';

/** The messages contain no URL, because a callback URL may contain a password. */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;
  /** False if no byte of the request was sent, so the receiver cannot have acted on it. */
  readonly sent: boolean;

  constructor(kind: OutboundErrorKind, message: string, options: ErrorOptions & { sent?: boolean } = {}) {
    super(message, options);
    this.name = 'OutboundError';
    this.kind = kind;
    this.sent = options.sent ?? false;
  }
}

/** How far a request got. */
export interface Progress {
  /** The TCP connection is established. */
  connected: boolean;
  /** The request may have been sent: the connection, including TLS, is established. */
  sent: boolean;
}

export function outboundErrorFrom(error: unknown, { connected, sent }: Progress): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const name = code ?? 'unknown';
  if (!sent && connected) return new OutboundError('tls', `no secure connection (${name})`, { sent });
  if (!sent || (code !== null && connectionCodes.has(code))) {
    return new OutboundError('connect', `the connection failed (${name})`, { sent });
  }
  return new OutboundError('protocol', `the request failed (${name})`, { cause: error, sent });
}

const connectionCodes = new Set(['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE']);

/** With several addresses Node reports one error that contains the error of each attempt. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
