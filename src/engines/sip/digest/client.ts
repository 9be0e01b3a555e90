/** Answers a digest challenge (401 or 407) of a server. */
import type { IdSource } from '../ids.ts';
import { formatCredentials, parseCredentials } from '../message/credentials.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { SipError } from '../message/sip-error.ts';
import { algorithmOf, type DigestAlgorithm, digestResponse, secretHash } from './hash.ts';

export interface Account {
  username: string;
  password: string;
}

interface Challenge {
  algorithm: DigestAlgorithm;
  parameters: Map<string, string>;
}

/**
 * Puts credentials for the challenge into the request. Returns false when that is no use: no challenge can be answered,
 * or credentials were refused already and the nonce was not stale.
 */
export function authorize(request: SipRequest, response: SipResponse, account: Account, ids: IdSource): boolean {
  const proxy = response.status === 407;
  const challenge = chooseChallenge(response.headers.all(proxy ? 'Proxy-Authenticate' : 'WWW-Authenticate'));
  if (!challenge) return false;
  const header = proxy ? 'Proxy-Authorization' : 'Authorization';
  const stale = challenge.parameters.get('stale')?.toLowerCase() === 'true';
  if (request.headers.has(header) && !stale) return false;
  request.headers.set(header, credentialsFor(request, challenge, account, ids));
  return true;
}

/** The first challenge with a known algorithm: servers list the one they prefer first (RFC 8760). */
function chooseChallenge(values: readonly string[]): Challenge | null {
  for (const value of values) {
    const parsed = tryParse(value);
    const algorithm = algorithmOf(parsed?.get('algorithm'));
    const qop = parsed?.get('qop');
    if (!parsed?.has('nonce') || algorithm === null) continue;
    if (qop !== undefined && !offersAuth(qop)) continue;
    return { algorithm, parameters: parsed };
  }
  return null;
}

function tryParse(value: string): Map<string, string> | null {
  try {
    const { scheme, parameters } = parseCredentials(value);
    return scheme === 'digest' ? parameters : null;
  } catch (error) {
    if (error instanceof SipError) return null;
    throw error;
  }
}

function offersAuth(qop: string): boolean {
  return qop.split(',').some((word) => word.trim().toLowerCase() === 'auth');
}

function credentialsFor(request: SipRequest, challenge: Challenge, account: Account, ids: IdSource): string {
  const { algorithm, parameters: offered } = challenge;
  const realm = offered.get('realm') ?? '';
  const nonce = offered.get('nonce') ?? '';
  const quality = offered.has('qop') ? { qop: 'auth', nonceCount: '00000001', clientNonce: ids.next() } : undefined;
  const secret = secretHash(algorithm, account.username, realm, account.password);
  const input = { algorithm, secret, method: request.method, uri: request.uri, nonce };
  const parameters = new Map([
    ['username', account.username],
    ['realm', realm],
    ['nonce', nonce],
    ['uri', request.uri],
    ['response', digestResponse(quality ? { ...input, quality } : input)],
  ]);
  if (offered.has('algorithm')) parameters.set('algorithm', algorithm);
  const opaque = offered.get('opaque');
  if (opaque !== undefined) parameters.set('opaque', opaque);
  if (quality) parameters.set('qop', 'auth').set('nc', quality.nonceCount).set('cnonce', quality.clientNonce);
  return formatCredentials({ scheme: 'digest', parameters }, 'credentials');
}
