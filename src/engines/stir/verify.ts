/**
 * Verifies the Identity headers of a call (RFC 8224 6, RFC 8588, RFC 8946): of several the best valid one counts, and
 * of a call that was forwarded every step up to the called number.
 */
import { compactVerify } from 'jose/jws/compact/verify';
import { divertedTo } from './diversions.ts';
import { IdentityError } from './identity-error.ts';
import { type CallFacts, readIdentity, type SignedPassport } from './identity-header.ts';
import { isSameNumber } from './numbers.ts';
import { type Attestation, attestations, type Originator } from './passport.ts';
import type { SigningChain } from './signing-chain.ts';

export type Verdict =
  | {
      readonly result: 'passed';
      /** Null for a PASSporT without attestation. */
      readonly attest: Attestation | null;
      readonly signer: string;
      /** Numbers that were called before the call was forwarded here. */
      readonly diverted: readonly string[];
      /** The headers that prove it: the caller's, then one for each forwarding. */
      readonly headers: readonly string[];
      /** The caller as signed. */
      readonly orig: Originator;
    }
  /** `none`: it could not be checked, which says nothing about the caller. */
  | { readonly result: 'failed' | 'none'; readonly reason: string };

interface Verifier {
  now: Date;
  /** Rejects with an `IdentityError`. */
  chainAt(url: string): Promise<SigningChain>;
}

/** Headers that are looked at; more say nothing that these do not. */
const mostHeaders = 8;
/** How far a signature may be from now, both ways (RFC 8224 4.1). */
const freshSeconds = 60;

interface Signed extends SignedPassport {
  readonly header: string;
}

/** `headers` are the values of all Identity headers, at least one. */
export async function verifyIdentities(
  headers: readonly string[],
  call: CallFacts,
  verifier: Verifier,
): Promise<Verdict> {
  const signed: Signed[] = [];
  const verdicts: Verdict[] = [];
  for (const header of headers.slice(0, mostHeaders)) {
    try {
      signed.push({ ...readIdentity(header, call), header });
    } catch (error) {
      verdicts.push(verdictOf(error));
    }
  }
  const diversions = signed.filter(({ passport }) => passport.ppt === 'div');
  const bases = signed.filter(({ passport }) => passport.ppt !== 'div');
  verdicts.push(...(await Promise.all(bases.map((base) => verdictOn(base, diversions, call, verifier)))));
  if (verdicts.length === 0) return { result: 'failed', reason: 'nobody has signed for the caller' };
  return verdicts.toSorted((one, other) => rankOf(one) - rankOf(other))[0] ?? unsigned;
}

const unsigned: Verdict = { result: 'none', reason: 'the call has no Identity' };

/** The lowest is the best. What was refuted says more than what could not be checked. */
function rankOf(verdict: Verdict): number {
  if (verdict.result === 'passed') return verdict.attest === null ? 3 : attestations.indexOf(verdict.attest);
  return verdict.result === 'failed' ? 4 : 5;
}

function verdictOf(error: unknown): Verdict {
  if (!(error instanceof IdentityError)) throw error;
  return { result: error.meaning === 'refuted' ? 'failed' : 'none', reason: error.message };
}

/** What the call itself refutes is found before a certificate is asked for. */
async function verdictOn(
  base: Signed,
  diversions: readonly Signed[],
  call: CallFacts,
  verifier: Verifier,
): Promise<Verdict> {
  try {
    const { orig } = base.passport;
    if (!isSame(orig, call.orig)) throw new IdentityError('it was signed for another caller');
    const steps = divertedTo(base, diversions, call.dest);
    if (steps === null) throw new IdentityError('it was signed for another called number');
    const proofs = [base, ...steps];
    for (const { passport } of proofs) checkFresh(passport.iat, verifier.now);
    const chains = await Promise.all(proofs.map((proof) => checkSignature(proof, verifier)));
    return {
      result: 'passed',
      attest: base.passport.attest ?? null,
      signer: chains[0]?.signer ?? '',
      diverted: steps.flatMap(({ passport: { div } }) => (div === undefined ? [] : [nameOf(div)])),
      headers: proofs.map(({ header }) => header),
      orig,
    };
  } catch (error) {
    return verdictOf(error);
  }
}

function checkFresh(iat: number, now: Date): void {
  const seconds = iat - now.getTime() / 1000;
  if (seconds < -freshSeconds) throw new IdentityError('it was signed too long ago');
  if (seconds > freshSeconds) throw new IdentityError('it was signed in the future');
}

async function checkSignature({ passport, token }: Signed, verifier: Verifier): Promise<SigningChain> {
  const chain = await verifier.chainAt(passport.x5u);
  if (verifier.now < chain.from) throw new IdentityError('the certificate is not valid yet');
  if (verifier.now > chain.until) throw new IdentityError('the certificate has ended');
  // Who forwards a call speaks for the number that was called first.
  const subject = passport.ppt === 'div' ? passport.div : passport.orig;
  if (subject !== undefined && 'tn' in subject && !chain.covers(subject.tn)) {
    throw new IdentityError('the certificate is not for this number');
  }
  try {
    await compactVerify(token, chain.key, { algorithms: ['ES256'] });
  } catch {
    throw new IdentityError('the signature is wrong');
  }
  return chain;
}

const nameOf = (party: Originator): string => ('tn' in party ? party.tn : party.uri);

function isSame(one: Originator, other: Originator): boolean {
  if ('tn' in one) return 'tn' in other && isSameNumber(one.tn, other.tn);
  return 'uri' in other && one.uri.toLowerCase() === other.uri.toLowerCase();
}
