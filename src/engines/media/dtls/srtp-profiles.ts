/** Profiles of SRTP that a handshake may agree on. */
import { type ProfileName, profiles } from '../srtp/profiles.ts';

/** The cheapest of the strong ones first (docs/decisions/own-dtls-srtp.md). */
export const preferredProfiles: readonly ProfileName[] = [
  'AES_CM_128_HMAC_SHA1_80',
  'AEAD_AES_128_GCM',
  'AEAD_AES_256_GCM',
  'AES_CM_128_HMAC_SHA1_32',
];

export function numberOfProfile(profile: ProfileName): number {
  const { dtlsNumber } = profiles[profile];
  if (dtlsNumber === null) throw new Error(`DTLS has no number for ${profile}`);
  return dtlsNumber;
}

export const profileOfNumber = (number: number | undefined): ProfileName | null =>
  preferredProfiles.find((profile) => profiles[profile].dtlsNumber === number) ?? null;
