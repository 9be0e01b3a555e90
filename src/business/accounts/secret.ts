/** Secrets in memory, which are not logged by accident, and at rest, encrypted with the server key. */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type { ServerKey } from '../../base/server-key.ts';

export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toJSON(): string {
    return '[secret]';
  }

  toString(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

const nonceBytes = 12;
const tagBytes = 16;
const infoOf = (purpose: string): string => `trunkline ${purpose}`;

/** `purpose` prevents a sealed text from being used as another kind of secret. */
export function seal(serverKey: ServerKey, purpose: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', serverKey.derive(infoOf(purpose))[0], nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** Throws if the text was sealed with another key or for another purpose, or was changed. */
export function unseal(serverKey: ServerKey, purpose: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const [first, ...others] = serverKey.derive(infoOf(purpose));
  for (const key of others) {
    const text = tryOpen(key, bytes);
    if (text !== null) return text;
  }
  return open(first, bytes);
}

function open(key: KeyObject, bytes: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
}

function tryOpen(key: KeyObject, bytes: Buffer): string | null {
  try {
    return open(key, bytes);
  } catch {
    return null;
  }
}
