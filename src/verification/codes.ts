/** One-time codes: drawn without bias, kept only as a keyed hash, compared in constant time. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomInt, timingSafeEqual } from 'node:crypto';

/** `length` decimal digits; `randomInt` draws from the CSPRNG and rejects what would bias the remainder. */
export function generateCode(length: number): string {
  return String(randomInt(10 ** length)).padStart(length, '0');
}

/** Includes the id of the verification, so equal codes have different hashes. */
export function hashCode(serverKey: Buffer, verificationId: string, code: string): Buffer {
  return createHmac('sha256', codeKey(serverKey)).update(`${verificationId}:${code}`).digest();
}

/** `hashes` contains one or more hashes in a row: after a crash it is unknown which of two codes was sent. */
export function codeMatches(serverKey: Buffer, verificationId: string, code: string, hashes: Buffer): boolean {
  const given = hashCode(serverKey, verificationId, code);
  let found = false;
  for (let at = 0; at + given.length <= hashes.length; at += given.length) {
    if (timingSafeEqual(given, hashes.subarray(at, at + given.length))) found = true;
  }
  return found;
}

const codeKeys = new WeakMap<Buffer, KeyObject>();

/** Derives a key for codes only: the server key also encrypts secrets. */
function codeKey(serverKey: Buffer): KeyObject {
  const known = codeKeys.get(serverKey);
  if (known !== undefined) return known;
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', serverKey, '', 'verification code', 32)));
  codeKeys.set(serverKey, key);
  return key;
}
