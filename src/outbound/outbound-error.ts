/** Why an outgoing request got no usable answer. The messages hold no URL, since a callback URL may carry a password. */
export type OutboundErrorKind =
  | 'invalid_url'
  | 'address_refused'
  | 'dns'
  | 'connect'
  | 'timeout'
  | 'response_too_large'
  | 'protocol';

export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutboundError';
    this.kind = kind;
  }
}

export function outboundErrorFrom(error: unknown, timedOut: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  if (timedOut) return new OutboundError('timeout', 'no complete answer in time');
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new OutboundError('timeout', 'no connection in time');
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new OutboundError('timeout', 'no complete answer in time');
  }
  if (code !== null && connectionCodes.has(code)) {
    return new OutboundError('connect', `the connection failed (${code})`);
  }
  return new OutboundError('protocol', `the request failed (${code ?? 'unknown'})`, { cause: error });
}

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'EPIPE',
  'UND_ERR_SOCKET',
]);

/** With several addresses Node reports one error that holds the error of each attempt. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
