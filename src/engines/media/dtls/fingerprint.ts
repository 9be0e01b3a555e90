/** The certificate that a description promises: `a=fingerprint` (RFC 8122). */
import { hash, timingSafeEqual } from 'node:crypto';
import { EncryptionRefused } from '../srtp/encryption-refused.ts';

/** Weaker hashes are refused; in practice everybody sends SHA-256. */
const hashes = ['sha-256', 'sha-384', 'sha-512'] as const;

export interface Fingerprint {
  readonly hash: (typeof hashes)[number];
  readonly digest: Uint8Array;
}

/** Bounds how many lines of one description are read. */
const mostFingerprints = 16;

export const isFingerprintLine = (line: string): boolean => line.startsWith('a=fingerprint:');

/** Null for a hash that is not accepted, or for a malformed digest. */
function readFingerprint(line: string): Fingerprint | null {
  const [, name = '', digits = ''] =
    /^a=fingerprint:([a-z0-9-]{1,16}) ([0-9a-f]{2}(?::[0-9a-f]{2}){0,80})\s*$/i.exec(line) ?? [];
  const known = hashes.find((one) => one === name.toLowerCase());
  const digest = Buffer.from(digits.replaceAll(':', ''), 'hex');
  return known === undefined || digest.length * 8 !== Number(known.slice(4)) ? null : { hash: known, digest };
}

/** Throws `EncryptionRefused` if there is none by which a certificate can be checked. */
export function readFingerprints(lines: readonly string[]): Fingerprint[] {
  const written = lines.filter(isFingerprintLine).slice(0, mostFingerprints);
  const fingerprints = written.map(readFingerprint).filter((one) => one !== null);
  if (fingerprints.length === 0) throw new EncryptionRefused('There is no fingerprint of a certificate to check');
  return fingerprints;
}

export const isCertificateOf = ({ hash: name, digest }: Fingerprint, certificate: Buffer): boolean =>
  timingSafeEqual(digestOf(name, certificate), digest);

export function formatFingerprint(certificate: Uint8Array): string {
  const digits = digestOf('sha-256', certificate).toString('hex').toUpperCase();
  return `a=fingerprint:sha-256 ${digits.match(/../g)?.join(':')}`;
}

const digestOf = (name: Fingerprint['hash'], certificate: Uint8Array): Buffer =>
  hash(name.replace('-', ''), certificate, 'buffer');
