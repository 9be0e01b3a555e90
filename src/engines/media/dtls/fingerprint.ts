/** The certificate that a description promises: `a=fingerprint` (RFC 8122). */
import { hash, timingSafeEqual } from 'node:crypto';

/** Weaker ones prove too little; SHA-256 is what everybody sends. */
const hashes = ['sha-256', 'sha-384', 'sha-512'] as const;

export interface Fingerprint {
  readonly hash: (typeof hashes)[number];
  readonly digest: Uint8Array;
}

export const isFingerprintLine = (line: string): boolean => line.startsWith('a=fingerprint:');

/** Null for a hash that is not taken, or for what is no digest of it. */
export function readFingerprint(line: string): Fingerprint | null {
  const [, name = '', digits = ''] =
    /^a=fingerprint:([a-z0-9-]{1,16}) ([0-9a-f]{2}(?::[0-9a-f]{2}){0,80})\s*$/i.exec(line) ?? [];
  const known = hashes.find((one) => one === name.toLowerCase());
  const digest = Buffer.from(digits.replaceAll(':', ''), 'hex');
  return known === undefined || digest.length * 8 !== Number(known.slice(4)) ? null : { hash: known, digest };
}

export const isCertificateOf = ({ hash: name, digest }: Fingerprint, certificate: Buffer): boolean =>
  timingSafeEqual(digestOf(name, certificate), digest);

export function formatFingerprint(certificate: Uint8Array): string {
  const digits = digestOf('sha-256', certificate).toString('hex').toUpperCase();
  return `a=fingerprint:sha-256 ${digits.match(/../g)?.join(':')}`;
}

const digestOf = (name: Fingerprint['hash'], certificate: Uint8Array): Buffer =>
  hash(name.replace('-', ''), certificate, 'buffer');
