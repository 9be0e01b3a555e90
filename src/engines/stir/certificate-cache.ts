/**
 * Certificates of signers by their address: fetched once for all calls that need one, and kept as long as its server
 * says. Whoever sends calls decides what is fetched, so each sender and each host may cause only so many fetches.
 */
import type { X509Certificate } from 'node:crypto';
import QuickLRU from 'quick-lru';
import { IdentityError } from './identity-error.ts';
import { readSigningChain, type SigningChain } from './signing-chain.ts';

interface FetchedCertificate {
  readonly pem: string;
  /** Its Cache-Control header; null without one. */
  readonly cacheControl: string | null;
}

interface CacheOptions {
  authorities: readonly X509Certificate[];
  /** Rejects if there is nothing at the address. */
  fetch(url: string): Promise<FetchedCertificate>;
  /** Milliseconds of the machine, which go on whatever clock the environment has. */
  now?(): number;
}

interface Entry {
  readonly found: Promise<SigningChain>;
  expiresAt: number;
}

const minuteMs = 60_000;
/** Kept so long without a word of the server, and at most so long whatever it says. */
const usualMs = 60 * minuteMs;
const longestMs = 24 * 60 * minuteMs;
/** What a server does not want to be kept would otherwise be fetched with each call; so would what failed. */
const shortestMs = minuteMs;

const mostCertificates = 1_000;
const mostFetchesAtOnce = 32;
/** In a minute, for one sender of calls and for one host. */
const mostFetches = 30;
const longestUrl = 512;

export class CertificateCache {
  readonly #options: CacheOptions;
  readonly #now: () => number;
  readonly #entries = new QuickLRU<string, Entry>({ maxSize: mostCertificates });
  readonly #fetches = new QuickLRU<string, { count: number; since: number }>({ maxSize: mostCertificates });
  #running = 0;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** `sender`: who brought the call, such as the id of its carrier. Rejects with an `IdentityError`. */
  chainAt(url: string, sender: string): Promise<SigningChain> {
    const known = this.#entries.get(url);
    if (known !== undefined && known.expiresAt > this.#now()) return known.found;
    const refusal = this.#refusal(url, sender);
    if (refusal !== null) return Promise.reject(refusal);
    const fetched = this.#fetch(url);
    const entry: Entry = { found: fetched.then(({ chain }) => chain), expiresAt: Number.POSITIVE_INFINITY };
    const keep = (ms: number) => {
      entry.expiresAt = this.#now() + ms;
    };
    fetched.then(
      ({ keptMs }) => keep(keptMs),
      () => keep(shortestMs),
    );
    // Who waits for it hears of a failure; when nobody does any more, nothing has gone wrong here.
    entry.found.catch(() => undefined);
    this.#entries.set(url, entry);
    return entry.found;
  }

  #refusal(url: string, sender: string): IdentityError | null {
    const parsed = URL.parse(url);
    const isPlain = parsed?.username === '' && parsed.password === '' && parsed.hash === '';
    if (url.length > longestUrl || parsed?.protocol !== 'https:' || !isPlain) {
      return new IdentityError('the address of the certificate is no https address');
    }
    const isAllowed = this.#running < mostFetchesAtOnce && this.#take(sender) && this.#take(parsed.host);
    return isAllowed ? null : new IdentityError('too many certificates are being fetched', 'unchecked');
  }

  #take(whose: string): boolean {
    const now = this.#now();
    const known = this.#fetches.get(whose);
    const counted = known === undefined || now - known.since >= minuteMs ? { count: 0, since: now } : known;
    if (counted.count >= mostFetches) return false;
    counted.count += 1;
    this.#fetches.set(whose, counted);
    return true;
  }

  async #fetch(url: string): Promise<{ chain: SigningChain; keptMs: number }> {
    this.#running += 1;
    try {
      const { pem, cacheControl } = await this.#options.fetch(url).catch(() => {
        throw new IdentityError('the certificate could not be fetched', 'unchecked');
      });
      return { chain: readSigningChain(pem, this.#options.authorities), keptMs: keepMs(cacheControl) };
    } finally {
      this.#running -= 1;
    }
  }
}

function keepMs(cacheControl: string | null): number {
  if (cacheControl === null) return usualMs;
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return shortestMs;
  const seconds = /\bmax-age\s*=\s*"?(\d{1,9})/i.exec(cacheControl)?.[1];
  return seconds === undefined ? usualMs : Math.min(longestMs, Math.max(shortestMs, Number(seconds) * 1000));
}
