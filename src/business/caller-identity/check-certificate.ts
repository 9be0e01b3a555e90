/** Whether an operator's certificate can sign calls, and one sentence if it cannot. */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { OperatorError } from '../../base/operator-error.ts';
import { IdentityError } from '../../engines/stir/identity-error.ts';
import { numberAuthorityOf } from '../../engines/stir/number-authority.ts';
import {
  isP256,
  readCertificates,
  readOwnChain,
  readSigningChain,
  type SigningChain,
} from '../../engines/stir/signing-chain.ts';

export interface GivenCertificate {
  /** PEM: the signer's certificate, then those that vouch for it. Whatever else is in the text is left out. */
  chain: string;
  /** PEM. */
  privateKey: string;
}

interface CheckedCertificate {
  /** The certificates alone, as they are published. */
  chain: string;
  /** PKCS #8, PEM. */
  privateKey: string;
  signer: string;
  from: Date;
  until: Date;
}

/** `authorities`: those that the operator believes, in PEM form; without any the chain is checked in itself. */
export function checkCertificate(
  given: GivenCertificate,
  { now, authorities }: { now: Date; authorities: readonly string[] },
): CheckedCertificate {
  const key = readKey(given.privateKey);
  const certificates = saying('The chain cannot be used', () => readCertificates(given.chain));
  const [own] = certificates;
  if (own === undefined) throw new OperatorError('The chain has no certificate in PEM form.');
  if (!isP256(own.publicKey)) {
    throw new OperatorError('The key of the certificate is not of the curve P-256, the only one that signs calls.');
  }
  if (!createPublicKey(key).equals(own.publicKey)) {
    throw new OperatorError(
      'The private key does not fit the first certificate of the chain, which must be the one of the signer.',
    );
  }
  if (saying('The certificate cannot be used', () => numberAuthorityOf(own.raw)) === null) {
    throw new OperatorError(
      'The certificate has no list of numbers (TNAuthList), so nobody would believe what it signs.',
    );
  }
  const chain = `${certificates.map((one) => String(one).trim()).join('\n')}\n`;
  const { signer, from, until } = completeChain(chain, certificates, authorities);
  const ended = certificates.find(({ validToDate }) => validToDate < now);
  if (ended !== undefined || until < now) {
    const at = ended?.validToDate ?? until;
    throw new OperatorError(
      `A certificate of the chain has ended on ${at.toISOString().slice(0, 10)}; get a new one from your authority.`,
    );
  }
  const privateKey = String(key.export({ format: 'pem', type: 'pkcs8' }));
  return { chain, privateKey, signer, from, until };
}

function completeChain(
  pem: string,
  certificates: readonly X509Certificate[],
  authorities: readonly string[],
): SigningChain {
  if (authorities.length === 0 && certificates.length === 1) {
    throw new OperatorError(
      'The chain is incomplete: it has the certificate of the signer alone. Add those of the authorities above it.',
    );
  }
  const known = authorities.map((one) => new X509Certificate(one));
  try {
    return known.length > 0 ? readSigningChain(pem, known) : readOwnChain(pem);
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    throw new OperatorError(
      known.length > 0
        ? `The chain is incomplete: it does not lead to one of the authorities in TRUNKLINE_STIR_AUTHORITIES (${error.message}).`
        : `The chain is incomplete: no certificate in it has issued the one before (${error.message}).`,
    );
  }
}

function readKey(pem: string): KeyObject {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(pem)) {
    throw new OperatorError(
      'The private key is protected with a passphrase: take that off first. It is stored encrypted with the server key.',
    );
  }
  // A file may begin with the parameters of the curve.
  const block = /-----BEGIN (?:EC )?PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END (?:EC )?PRIVATE KEY-----/.exec(pem)?.[0];
  if (block === undefined) {
    throw new OperatorError('The private key is missing: there is none in PEM form (BEGIN PRIVATE KEY).');
  }
  try {
    return createPrivateKey(block);
  } catch {
    throw new OperatorError('The private key is not readable.');
  }
}

/** What is wrong with a certificate, as a sentence for the operator. */
function saying<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof IdentityError) throw new OperatorError(`${what}: ${error.message}.`);
    throw error;
  }
}

const longestUrl = 512;

/** The address that signatures name: https, and nothing in it that verifiers refuse. */
export function checkedUrl(text: string): string {
  const url = URL.parse(text);
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url?.protocol !== 'https:' || !isPlain || text.length > longestUrl) {
    throw new OperatorError(
      `"${text.slice(0, longestUrl)}" is not an https address without user, query and fragment, from which others fetch the chain.`,
    );
  }
  return url.href;
}
