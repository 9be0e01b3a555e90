/** Signs PASSporTs with the private key of a certificate. */
import type { KeyObject } from 'node:crypto';
import { CompactSign } from 'jose/jws/compact/sign';
import { identityHeader } from './identity-header.ts';
import { type Passport, passportTexts } from './passport.ts';

/** The token in full form. */
export function signPassport(passport: Passport, key: KeyObject): Promise<string> {
  const { header, claims } = passportTexts(passport);
  // The order of the members is the order in which they are signed.
  return new CompactSign(Buffer.from(claims)).setProtectedHeader(JSON.parse(header)).sign(key);
}

/** The value of the Identity header. */
export async function signIdentity(passport: Passport, key: KeyObject): Promise<string> {
  return identityHeader(await signPassport(passport, key), passport);
}
