/**
 * Signs calls on their way to carriers. The certificates are kept in memory until one changes, with their keys opened
 * once. Whatever goes wrong, the call goes on without a signature.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type Kept, keepUntilChanged } from '../../engines/db/kept.ts';
import type { Environment } from '../../engines/environment.ts';
import { canonicalNumber } from '../../engines/stir/numbers.ts';
import type { Attestation, Passport } from '../../engines/stir/passport.ts';
import { signIdentity } from '../../engines/stir/sign.ts';
import { readOwnChain, type SigningChain } from '../../engines/stir/signing-chain.ts';
import { unseal } from '../accounts/secret.ts';
import { listSigningCertificates, type SigningCertificate, signingCertificatePurpose } from './signing-certificates.ts';

/** What a signature says, without what every one has. */
export type Statement =
  | { ppt: 'shaken'; orig: string; dest: string; attest: Attestation; origid: string }
  /** `div`: the number that was called before the call was forwarded to `dest`. */
  | { ppt: 'div'; orig: string; dest: string; div: string };

type Signed =
  /** The value of the Identity header, when it was signed, and what it says. */
  | { header: string; at: Date; as: Attestation | 'div'; origid: string | null }
  /** Why it was not signed, in words; `isOurs`: through no fault of the call. */
  | { reason: string; isOurs?: true };

interface Signer {
  readonly certificate: SigningCertificate;
  readonly key: KeyObject;
  readonly chain: SigningChain;
}

/** A call waits no longer for the database. */
const patienceMs = 500;

/** `unsigned`: the call has nothing that could be signed. `failed`: there is no certificate for it, or an error. */
type SigningResult = Attestation | 'div' | 'unsigned' | 'failed';

export class CallSigner {
  readonly #env: Environment;
  readonly #kept: Kept<readonly Signer[]>;
  /** By the id of their certificate, whose key never changes. */
  #keys = new Map<string, KeyObject>();
  readonly #counts = new Map<SigningResult, number>();

  constructor(env: Environment) {
    this.#env = env;
    this.#kept = keepUntilChanged(env.changes, { outdatedBy: { signing_certificates: () => true } });
  }

  /** How many calls this process has signed, and how many it could not sign. */
  get counts(): ReadonlyMap<SigningResult, number> {
    return this.#counts;
  }

  /** Null while no certificate is switched on. Never rejects. */
  async sign(makeStatement: () => Promise<Statement | { reason: string }>): Promise<Signed | null> {
    const late = Promise.withResolvers<Signed>();
    const timer = setTimeout(() => late.resolve(ours('the certificate was not read in time')), patienceMs);
    const signed = await Promise.race([this.#sign(makeStatement), late.promise])
      .catch((error: unknown): Signed => {
        this.#env.log.warn({ err: error }, 'a call could not be signed');
        return ours('signing failed');
      })
      .finally(() => clearTimeout(timer));
    if (signed !== null) this.#count(resultOf(signed));
    return signed;
  }

  async #sign(makeStatement: () => Promise<Statement | { reason: string }>): Promise<Signed | null> {
    const signers = await this.#kept.read('all', () => this.#read());
    if (signers.length === 0) return null;
    const statement = await makeStatement();
    if ('reason' in statement) return statement;
    const at = this.#env.clock.now();
    const subject = subjectOf(statement);
    if (subject === null) return { reason: 'the caller has no international number' };
    const valid = signers.filter(({ chain }) => chain.from <= at && chain.until >= at);
    if (valid.length === 0) return ours('no certificate is valid now');
    const signer = valid.find(({ chain }) => chain.covers(subject));
    if (signer === undefined) return ours(`no certificate is for the number ${subject}`);
    const header = await signIdentity(passportOf(statement, signer.certificate.url, at), signer.key);
    return statement.ppt === 'div'
      ? { header, at, as: 'div', origid: null }
      : { header, at, as: statement.attest, origid: statement.origid };
  }

  async #read(): Promise<readonly Signer[]> {
    const enabled = (await listSigningCertificates(this.#env)).filter((one) => one.enabled);
    const signers = enabled.flatMap((certificate): Signer[] => {
      try {
        const key = this.#keys.get(certificate.id) ?? this.#open(certificate);
        return [{ certificate, key, chain: readOwnChain(certificate.chain) }];
      } catch (error) {
        this.#env.log.error({ err: error, certificate: certificate.name }, 'a certificate cannot sign calls');
        return [];
      }
    });
    this.#keys = new Map(signers.map(({ certificate, key }) => [certificate.id, key]));
    return signers;
  }

  #open({ sealed_private_key: sealed }: SigningCertificate): KeyObject {
    return createPrivateKey(unseal(this.#env.serverKey, signingCertificatePurpose, sealed));
  }

  #count(result: SigningResult): void {
    this.#counts.set(result, (this.#counts.get(result) ?? 0) + 1);
  }
}

const ours = (reason: string): Signed => ({ reason, isOurs: true });

const resultOf = (signed: Signed): SigningResult =>
  'reason' in signed ? (signed.isOurs ? 'failed' : 'unsigned') : signed.as;

/** The number that the signature speaks for. Null if it is none that any network could find. */
function subjectOf(statement: Statement): string | null {
  const number = canonicalNumber(statement.ppt === 'div' ? statement.div : statement.orig);
  return number !== null && /^[1-9]\d{6,14}$/.test(number) ? number : null;
}

function passportOf(statement: Statement, x5u: string, at: Date): Passport {
  const { orig, dest, ppt } = statement;
  const tn = canonicalNumber(dest) ?? dest;
  const common = { x5u, orig: { tn: orig }, dest: { tn: [tn] }, iat: Math.floor(at.getTime() / 1000) };
  return statement.ppt === 'div'
    ? { ppt, ...common, div: { tn: statement.div } }
    : { ppt, ...common, attest: statement.attest, origid: statement.origid };
}
