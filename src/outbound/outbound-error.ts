/** Why an outgoing request got no usable response. The messages hold no URL, since a callback URL may carry a password. */
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
