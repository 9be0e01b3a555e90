/** The hashes of digest authentication (RFC 7616 3.4): algorithms, and the response both sides compute. */
import { createHash } from 'node:crypto';

export type DigestAlgorithm = 'MD5' | 'SHA-256';

const nodeNames: Record<DigestAlgorithm, string> = { MD5: 'md5', 'SHA-256': 'sha256' };

/** The algorithm by the name in a header; MD5 where none is named; null for one this layer does not know. */
export function algorithmOf(name: string | undefined): DigestAlgorithm | null {
  const upper = (name ?? 'MD5').toUpperCase();
  return upper === 'MD5' || upper === 'SHA-256' ? upper : null;
}

function hash(algorithm: DigestAlgorithm, text: string): string {
  return createHash(nodeNames[algorithm]).update(text).digest('hex');
}

/** H(username:realm:password): what a server may store instead of the password. */
export function secretHash(algorithm: DigestAlgorithm, username: string, realm: string, password: string): string {
  return hash(algorithm, `${username}:${realm}:${password}`);
}

interface ResponseInput {
  algorithm: DigestAlgorithm;
  secret: string;
  method: string;
  uri: string;
  nonce: string;
  /** Absent for peers of RFC 2069. */
  quality?: { qop: string; nonceCount: string; clientNonce: string };
}

export function digestResponse({ algorithm, secret, method, uri, nonce, quality }: ResponseInput): string {
  const request = hash(algorithm, `${method}:${uri}`);
  if (!quality) return hash(algorithm, `${secret}:${nonce}:${request}`);
  const { qop, nonceCount, clientNonce } = quality;
  return hash(algorithm, `${secret}:${nonce}:${nonceCount}:${clientNonce}:${qop}:${request}`);
}
