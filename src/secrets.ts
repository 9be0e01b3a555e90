/** Secrets at rest that must be read back (to sign with them): sealed with the server key, bound to their purpose. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Another purpose is another key: a sealed value copied into another column does not open there. */
export type SecretPurpose = 'api_key' | 'otp_application_secret' | 'callback_secret' | 'trunk_password' | 'private_key';

const format = 1;

export function seal(serverKey: Buffer, purpose: SecretPurpose, secret: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFor(serverKey, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(format), nonce, cipher.getAuthTag(), sealed]);
}

/** Throws when the server key is another one or the value was changed. */
export function unseal(serverKey: Buffer, purpose: SecretPurpose, sealed: Buffer): string {
  if (sealed[0] !== format) throw new Error('a sealed secret of an unknown format');
  const decipher = createDecipheriv('aes-256-gcm', keyFor(serverKey, purpose), sealed.subarray(1, 13));
  decipher.setAuthTag(sealed.subarray(13, 29));
  return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString('utf8');
}

function keyFor(serverKey: Buffer, purpose: SecretPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', serverKey, '', `trunkline ${purpose}`, 32));
}
