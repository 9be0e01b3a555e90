/** One-time codes: drawn without bias, kept only as a keyed hash, compared in constant time. */
import { createHmac, type KeyObject, randomInt, timingSafeEqual } from 'node:crypto';
import type { ServerKey } from '../../base/server-key.ts';

/** `length` decimal digits; `randomInt` draws from the CSPRNG and rejects what would bias the remainder. */
export function generateCode(length: number): string {
  return String(randomInt(10 ** length)).padStart(length, '0');
}

/** Includes the id of the verification, so equal codes have different hashes. */
export function hashCode(serverKey: ServerKey, verificationId: string, code: string): Buffer {
  return hashWith(serverKey.derive(purpose)[0], verificationId, code);
}

/** The hash of the code with each of the keys that may have made it. */
function codeHashes(serverKey: ServerKey, verificationId: string, code: string): Buffer[] {
  return serverKey.derive(purpose).map((key) => hashWith(key, verificationId, code));
}

/** `hashes` contains one or more hashes in a row: after a crash it is unknown which of two codes was sent. */
export function codeMatches(serverKey: ServerKey, verificationId: string, code: string, hashes: Buffer): boolean {
  let found = false;
  for (const given of codeHashes(serverKey, verificationId, code)) {
    for (let at = 0; at + given.length <= hashes.length; at += given.length) {
      if (timingSafeEqual(given, hashes.subarray(at, at + given.length))) found = true;
    }
  }
  return found;
}

/** A key for codes only: the server key also encrypts secrets. */
const purpose = 'verification code';

const hashWith = (key: KeyObject, verificationId: string, code: string): Buffer =>
  createHmac('sha256', key).update(`${verificationId}:${code}`).digest();
