/** Keys of a session, derived from a master key (RFC 3711, 4.3; for 256 bits RFC 6188, for GCM RFC 7714). */
import { createCipheriv } from 'node:crypto';
import { type MasterKey, profiles } from './profiles.ts';

export interface SessionKeys {
  readonly cipherKey: Buffer;
  readonly salt: Buffer;
  /** Unused with GCM. */
  readonly authenticationKey: Buffer;
}

const labels = { rtp: [0, 1, 2], rtcp: [3, 4, 5] } as const;
const authenticationKeyBytes = 20;
const labelAt = 7;

export function sessionKeys(master: MasterKey, kind: keyof typeof labels): SessionKeys {
  const { keyBytes, saltBytes } = profiles[master.profile];
  const [cipher, authentication, salt] = labels[kind];
  return {
    cipherKey: derive(master, cipher, keyBytes),
    authenticationKey: derive(master, authentication, authenticationKeyBytes),
    salt: derive(master, salt, saltBytes),
  };
}

/** The key stream at the master salt changed by the label. The rate of derivation is zero: it is done once. */
function derive({ key, salt }: MasterKey, label: number, bytes: number): Buffer {
  const start = Buffer.alloc(16);
  start.set(salt);
  start[labelAt] = (start[labelAt] ?? 0) ^ label;
  return createCipheriv(`aes-${key.length === 32 ? 256 : 128}-ctr`, key, start).update(Buffer.alloc(bytes));
}
