/**
 * Verifies who calls us, by the Identity headers of calls that carriers bring. It is on once an operator has named the
 * authorities whose certificates count; a call never waits for it longer than a moment.
 */
import { X509Certificate } from 'node:crypto';
import type { Environment } from '../../engines/environment.ts';
import { CertificateCache } from '../../engines/stir/certificate-cache.ts';
import { IdentityError } from '../../engines/stir/identity-error.ts';
import type { CallFacts } from '../../engines/stir/identity-header.ts';
import { type Verdict, verifyIdentities } from '../../engines/stir/verify.ts';

/** `headers`: all Identity headers. `sender`: who brought the call, which may cause only so many fetches. */
export type VerifyCaller = (headers: readonly string[], call: CallFacts, sender: string) => Promise<Verdict>;

/** A call waits no longer than this; what is being fetched then serves the next one. */
const patienceMs = 1_500;
const fetchMs = 5_000;
/** A chain of certificates has some 3 KB. */
const mostBytes = 32_768;

/** Null while an operator has named no authorities. */
export function createCallerVerifier(env: Environment): VerifyCaller | null {
  const authorities = env.calls.identityAuthorities.map((pem) => new X509Certificate(pem));
  if (authorities.length === 0) return null;
  const cache = new CertificateCache({ authorities, fetch: (url) => fetchCertificate(env, url) });
  return async (headers, call, sender) => {
    if (headers.length === 0) return { result: 'none', reason: 'the call has no Identity' };
    const verifier = { now: env.clock.now(), chainAt: (url: string) => cache.chainAt(url, sender) };
    return inTime(verifyIdentities(headers, call, verifier));
  };
}

async function fetchCertificate({ outbound }: Environment, url: string) {
  const { status, headers, body } = await outbound.request({
    ...{ method: 'GET', url, headers: { Accept: 'application/pem-certificate-chain, application/x-pem-file, */*' } },
    ...{ timeoutMs: fetchMs, maxResponseBytes: mostBytes, oversize: 'fail' },
  });
  if (status !== 200) throw new IdentityError('the certificate could not be fetched', 'unchecked');
  return { pem: body.toString('latin1'), cacheControl: headers['cache-control'] ?? null };
}

async function inTime(verdict: Promise<Verdict>): Promise<Verdict> {
  const tooLate = Promise.withResolvers<Verdict>();
  const reason = 'the certificate did not come in time';
  const patience = setTimeout(() => tooLate.resolve({ result: 'none', reason }), patienceMs);
  try {
    return await Promise.race([verdict, tooLate.promise]);
  } finally {
    clearTimeout(patience);
  }
}
