/** The protection profiles of SRTP: their names in SDES (RFC 4568, 6188, 7714) and numbers in DTLS (RFC 5764, 7714). */
import { randomBytes, timingSafeEqual } from 'node:crypto';

export type ProfileName =
  | 'AES_CM_128_HMAC_SHA1_80'
  | 'AES_CM_128_HMAC_SHA1_32'
  | 'AES_256_CM_HMAC_SHA1_80'
  | 'AES_256_CM_HMAC_SHA1_32'
  | 'AEAD_AES_128_GCM'
  | 'AEAD_AES_256_GCM';

interface Profile {
  readonly mode: 'counter' | 'gcm';
  readonly keyBytes: 16 | 32;
  readonly saltBytes: 12 | 14;
  /** Of RTP; the tag of RTCP has ten bytes, with GCM sixteen. */
  readonly tagBytes: 4 | 10 | 16;
  /** Null where DTLS has none. */
  readonly dtlsNumber: number | null;
}

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  AES_CM_128_HMAC_SHA1_80: { mode: 'counter', keyBytes: 16, saltBytes: 14, tagBytes: 10, dtlsNumber: 0x0001 },
  AES_CM_128_HMAC_SHA1_32: { mode: 'counter', keyBytes: 16, saltBytes: 14, tagBytes: 4, dtlsNumber: 0x0002 },
  AES_256_CM_HMAC_SHA1_80: { mode: 'counter', keyBytes: 32, saltBytes: 14, tagBytes: 10, dtlsNumber: null },
  AES_256_CM_HMAC_SHA1_32: { mode: 'counter', keyBytes: 32, saltBytes: 14, tagBytes: 4, dtlsNumber: null },
  AEAD_AES_128_GCM: { mode: 'gcm', keyBytes: 16, saltBytes: 12, tagBytes: 16, dtlsNumber: 0x0007 },
  AEAD_AES_256_GCM: { mode: 'gcm', keyBytes: 32, saltBytes: 12, tagBytes: 16, dtlsNumber: 0x0008 },
};

/** What both ends know of one direction. */
export interface MasterKey {
  readonly profile: ProfileName;
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
}

/** The master keys of both directions, as one end sees them. */
export interface KeyPair {
  readonly sending: MasterKey;
  readonly receiving: MasterKey;
}

export function newMasterKey(profile: ProfileName): MasterKey {
  const { keyBytes, saltBytes } = profiles[profile];
  return { profile, key: randomBytes(keyBytes), salt: randomBytes(saltBytes) };
}

export function isSameKey(one: MasterKey, other: MasterKey): boolean {
  return one.profile === other.profile && timingSafeEqual(one.key, other.key) && timingSafeEqual(one.salt, other.salt);
}
