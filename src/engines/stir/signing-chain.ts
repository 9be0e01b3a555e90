/** The certificate of a signer with those that vouch for it, up to an authority that the operator trusts. */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { derTag, derValues, extensionOf } from './der.ts';
import { IdentityError } from './identity-error.ts';
import { type NumberAuthority, numberAuthorityOf } from './number-authority.ts';

export interface SigningChain {
  readonly key: KeyObject;
  /** Who signs, as its certificate says: organisation and name. */
  readonly signer: string;
  /** When all certificates of the chain are valid. */
  readonly from: Date;
  readonly until: Date;
  /** Whether every list of numbers in the chain covers this one. */
  covers(number: string): boolean;
}

/** The signer's own, two in between, and room for an authority that is sent along. */
const mostCertificates = 5;

const certificateForm = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** The certificates in a PEM text, the signer's first. */
export function readCertificates(pem: string): X509Certificate[] {
  const texts = pem.match(certificateForm) ?? [];
  if (texts.length === 0) throw new IdentityError('there is no certificate in PEM form');
  if (texts.length > mostCertificates) throw new IdentityError('there are too many certificates');
  try {
    return texts.map((text) => new X509Certificate(text));
  } catch {
    throw new IdentityError('a certificate is not readable');
  }
}

/**
 * A chain of our own, which leads to whatever stands above in it; a certificate that stands alone vouches for itself.
 * Nothing is trusted by it.
 */
export function readOwnChain(pem: string): SigningChain {
  const [own, ...others] = readCertificates(pem);
  const isTop = (one: X509Certificate) => others.every((other) => other === one || !hasIssued(other, one, 0));
  const tops = others.filter(isTop);
  return readSigningChain(pem, tops.length > 0 || own === undefined ? tops : [own]);
}

/** Throws an `IdentityError` if the chain does not lead to one of the authorities. Validity in time is not checked. */
export function readSigningChain(pem: string, authorities: readonly X509Certificate[]): SigningChain {
  const sent = readCertificates(pem);
  const [own] = sent;
  if (own === undefined) throw new IdentityError('there is no certificate in PEM form');
  const chain = chainFrom(own, sent.slice(1), authorities);
  if (!isP256(own.publicKey)) throw new IdentityError('the key of the certificate is not of the curve P-256');
  const lists = chain.map(({ raw }) => numberAuthorityOf(raw));
  if (lists[0] === null) throw new IdentityError('the certificate has no list of numbers (TNAuthList)');
  return {
    key: own.publicKey,
    signer: signerOf(own, lists[0] ?? null),
    from: new Date(Math.max(...chain.map((one) => one.validFromDate.getTime()))),
    until: new Date(Math.min(...chain.map((one) => one.validToDate.getTime()))),
    covers: (number) => lists.every((list) => list?.covers(number) ?? true),
  };
}

export const isP256 = (key: KeyObject): boolean =>
  key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';

/** From the signer's certificate to the authority, each signed by the next. */
function chainFrom(
  own: X509Certificate,
  between: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): X509Certificate[] {
  const chain = [own];
  for (let last = own; chain.length <= mostCertificates; ) {
    const authority = authorities.find((one) => one.raw.equals(last.raw) || hasIssued(one, last, chain.length - 1));
    if (authority !== undefined) return authority.raw.equals(last.raw) ? chain : [...chain, authority];
    const next = between.find((one) => !chain.includes(one) && hasIssued(one, last, chain.length - 1));
    if (next === undefined) break;
    chain.push(next);
    last = next;
  }
  throw new IdentityError('no known authority has issued the certificate');
}

/** `below`: authorities between this one and the signer. */
function hasIssued(issuer: X509Certificate, issued: X509Certificate, below: number): boolean {
  try {
    return issuer.ca && below <= mostBelow(issuer) && issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
  } catch {
    // OpenSSL throws on keys that it does not know.
    return false;
  }
}

/** 2.5.29.19: basicConstraints, which may limit how many authorities follow. */
function mostBelow({ raw }: X509Certificate): number {
  try {
    const content = extensionOf(raw, '551d13');
    const [constraints] = content === null ? [] : derValues(content);
    const limit = constraints && derValues(constraints.body).find(({ tag }) => tag === derTag.integer);
    return limit === undefined ? Number.POSITIVE_INFINITY : limit.body.readUIntBE(0, Math.min(limit.body.length, 6));
  } catch (error) {
    if (error instanceof RangeError) return -1;
    throw error;
  }
}

const longestSigner = 120;

function signerOf({ subject }: X509Certificate, numbers: NumberAuthority | null): string {
  const partOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(subject)?.[1];
  const names = [...new Set([partOf('O'), partOf('CN')].filter((part) => part !== undefined))];
  const text = names.join(', ') || numbers?.providers[0] || 'a signer without a name';
  return [...text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')].slice(0, longestSigner).join('');
}
