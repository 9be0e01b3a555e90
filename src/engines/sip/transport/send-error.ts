/**
 * Why a request could not be sent, in words for `Reason`, traces and lists: `Connection refused`,
 * `TLS handshake failed: …`.
 */
import type { TransportName } from './wire.ts';

/** No connection within the time for it; the message says what was waited for. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection closed by the peer',
  EPIPE: 'Connection closed by the peer',
  ETIMEDOUT: 'Connection timed out',
  EHOSTUNREACH: 'No route to the host',
  ENETUNREACH: 'No route to the network',
  EACCES: 'Sending to this address is not permitted',
  EPERM: 'Sending to this address is not permitted',
};

/** OpenSSL's and Node's codes of certificates and handshakes. */
const isTlsCode = (code: string): boolean =>
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA|CRL_|ERROR_IN_CERT)/.test(
    code,
  );

export function sendErrorText(error: Error, transport: TransportName): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error instanceof ConnectTimeout) return error.message;
  // Before the handshake is over, a peer that speaks no TLS, or does not want to, just closes.
  const isHandshake = isTlsCode(code) || (transport === 'TLS' && /before secure TLS connection/.test(error.message));
  if (isHandshake) return `TLS handshake failed: ${plain(error.message)}`;
  return words[code] ?? plain(error.message);
}

/** OpenSSL's messages end with the place in its source, and begin with numbers. */
const plain = (message: string): string =>
  (/:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.split('\n')[0] ?? '').slice(0, 200);
