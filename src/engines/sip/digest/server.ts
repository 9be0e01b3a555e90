/**
 * Digest authentication of requests (RFC 7616, RFC 8760). Nonces are signed, not stored; those that were used are
 * remembered while they could be used again, with their count, so that captured credentials are of no use.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IdSource } from '../ids.ts';
import { formatCredentials, parseCredentials } from '../message/credentials.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { SipError } from '../message/sip-error.ts';
import { isSipUri, parseUri } from '../message/uri.ts';
import { algorithmOf, type DigestAlgorithm, digestResponse } from './hash.ts';

interface DigestServerOptions {
  realm: string;
  /** Signs nonces. Only the process that made a nonce knows whether it was used, so no other should accept it. */
  secret: string;
  ids: IdSource;
  /** Milliseconds on which all processes agree. */
  now: () => number;
  /** Offered in this order. */
  algorithms?: readonly DigestAlgorithm[];
}

/** How long a nonce is accepted; an older one is stale and the client tries again. */
const lifetimeMs = 60_000;

/** H(username:realm:password) of a user, or null for none. */
export type SecretOf = (username: string, algorithm: DigestAlgorithm) => string | null;

export type Verdict =
  | { outcome: 'accepted'; username: string }
  /** No usable credentials; a challenge should follow. `stale`: they were right, but the nonce is too old. */
  | { outcome: 'challenge'; stale: boolean }
  /** Wrong user, password or hash. */
  | { outcome: 'refused'; username: string };

type Kind = 'user' | 'proxy';
const headerNames = {
  user: { status: 401, challenge: 'WWW-Authenticate', credentials: 'Authorization' },
  proxy: { status: 407, challenge: 'Proxy-Authenticate', credentials: 'Proxy-Authorization' },
} as const;

export class DigestServer {
  readonly #options: DigestServerOptions;
  readonly #algorithms: readonly DigestAlgorithm[];
  /** Nonces of accepted requests with the highest count so far, the oldest first. */
  readonly #used = new Map<string, { count: number; at: number }>();

  constructor(options: DigestServerOptions) {
    this.#options = options;
    this.#algorithms = options.algorithms ?? ['SHA-256', 'MD5'];
  }

  statusOf(kind: Kind): 401 | 407 {
    return headerNames[kind].status;
  }

  /** Adds a challenge per algorithm. `binding`, for example the source address, makes the nonce useless elsewhere. */
  challenge(
    response: SipResponse,
    kind: Kind,
    binding: string,
    { stale = false, algorithms = this.#algorithms }: { stale?: boolean; algorithms?: readonly DigestAlgorithm[] } = {},
  ): void {
    const nonce = this.#sign(this.#options.now(), this.#options.ids.next(), binding);
    for (const algorithm of algorithms) {
      const parameters = new Map([
        ['realm', this.#options.realm],
        ['nonce', nonce],
        ['qop', 'auth'],
        ['algorithm', algorithm],
      ]);
      if (stale) parameters.set('stale', 'true');
      response.headers.add(
        headerNames[kind].challenge,
        formatCredentials({ scheme: 'digest', parameters }, 'challenge'),
      );
    }
  }

  verify(request: SipRequest, kind: Kind, binding: string, secretOf: SecretOf): Verdict {
    const given = this.#credentials(request, headerNames[kind].credentials);
    const username = given?.get('username');
    const algorithm = algorithmOf(given?.get('algorithm'));
    const nonce = given?.get('nonce') ?? '';
    if (!given || username === undefined || algorithm === null || !this.#algorithms.includes(algorithm)) {
      return { outcome: 'challenge', stale: false };
    }
    const age = this.#ageOf(nonce, binding);
    // A nonce of an earlier secret cannot be told from an invented one; a client with the right password just tries
    // again.
    if (age === null) return { outcome: 'challenge', stale: true };
    // A stranger's time is the same whether the user exists or not.
    const secret = secretOf(username, algorithm);
    const right = this.#isRight(request, given, algorithm, secret ?? '', nonce) && secret !== null;
    if (!right) return { outcome: 'refused', username };
    if (age > lifetimeMs || !this.#use(nonce, countOf(given))) return { outcome: 'challenge', stale: true };
    return { outcome: 'accepted', username };
  }

  /** Returns whether the nonce was not used with this count, or a higher one. */
  #use(nonce: string, count: number): boolean {
    const now = this.#options.now();
    for (const [old, { at }] of this.#used) {
      if (now - at <= lifetimeMs) break;
      this.#used.delete(old);
    }
    const known = this.#used.get(nonce);
    if (known !== undefined && count <= known.count) return false;
    // An entry that is used again stays where it is: it is as old as its nonce.
    this.#used.set(nonce, { count, at: known?.at ?? now });
    return true;
  }

  #credentials(request: SipRequest, name: string): Map<string, string> | null {
    for (const value of request.headers.all(name)) {
      try {
        const { scheme, parameters } = parseCredentials(value);
        if (scheme === 'digest' && parameters.get('realm') === this.#options.realm) return parameters;
      } catch (error) {
        if (!(error instanceof SipError)) throw error;
      }
    }
    return null;
  }

  #isRight(
    request: SipRequest,
    given: Map<string, string>,
    algorithm: DigestAlgorithm,
    secret: string,
    nonce: string,
  ): boolean {
    const uri = given.get('uri') ?? '';
    const qop = given.get('qop');
    const input = { algorithm, secret, method: request.method, uri, nonce };
    if (qop !== undefined && (qop !== 'auth' || !/^[0-9a-fA-F]{8}$/.test(given.get('nc') ?? ''))) return false;
    const quality = { qop: 'auth', nonceCount: given.get('nc') ?? '', clientNonce: given.get('cnonce') ?? '' };
    const expected = digestResponse(qop === undefined ? input : { ...input, quality });
    return sameText(expected, (given.get('response') ?? '').toLowerCase()) && isForSameUser(uri, request.uri);
  }

  #sign(time: number, id: string, binding: string): string {
    const text = `${Math.floor(time).toString(36)}.${id}`;
    const signature = createHmac('sha256', this.#options.secret).update(`${text} ${this.#options.realm} ${binding}`);
    return `${text}.${signature.digest('base64url').slice(0, 27)}`;
  }

  #ageOf(nonce: string, binding: string): number | null {
    const [time = '', id = ''] = nonce.split('.');
    const at = Number.parseInt(time, 36);
    if (!Number.isSafeInteger(at) || !sameText(this.#sign(at, id, binding), nonce)) return null;
    return this.#options.now() - at;
  }
}

/**
 * A response without `qop` does not cover `nc`, so whoever captured it could raise that at will: it uses the nonce up.
 * The hash has been checked, and with it the form of the count.
 */
const countOf = (given: Map<string, string>): number =>
  given.get('qop') === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(given.get('nc') ?? '', 16);

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Proxies may rewrite the host of a Request-URI; another user would be another destination with somebody's captured
 * hash.
 */
function isForSameUser(credentialsUri: string, requestUri: string): boolean {
  if (credentialsUri === requestUri) return true;
  try {
    const [one, other] = [parseUri(credentialsUri), parseUri(requestUri)];
    return isSipUri(one) && isSipUri(other) && one.user === other.user;
  } catch {
    return false;
  }
}
