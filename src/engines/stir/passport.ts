/** PASSporTs (RFC 8225): what a signer says of a call, and the exact text that is signed. */
import { IdentityError } from './identity-error.ts';
import { canonicalNumber } from './numbers.ts';

/** RFC 8588: the number is the customer's (A), the customer is known (B), the call came from elsewhere (C). */
export type Attestation = 'A' | 'B' | 'C';

export const attestations: readonly Attestation[] = ['A', 'B', 'C'];

/** A telephone number in canonical form, or a URI where there is none. */
export type Originator = { readonly tn: string } | { readonly uri: string };

export interface Destinations {
  readonly tn?: readonly string[];
  readonly uri?: readonly string[];
}

export interface Passport {
  /** Null for a PASSporT without extension. */
  readonly ppt: 'shaken' | 'div' | null;
  /** Where the certificate of the signer is. */
  readonly x5u: string;
  readonly orig: Originator;
  readonly dest: Destinations;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly attest?: Attestation;
  readonly origid?: string;
  /** RFC 8946: the number that was called before the call was forwarded. */
  readonly div?: Originator;
}

/** The header and the claims as RFC 8225 9 writes them: members by name, without spaces. */
export function passportTexts(passport: Passport): { header: string; claims: string } {
  const { ppt, x5u, attest, dest, div, iat, orig, origid } = passport;
  const header = { alg: 'ES256', ...(ppt !== null && { ppt }), typ: 'passport', x5u };
  const { tn, uri } = dest;
  const called = { ...(tn && { tn }), ...(uri && { uri }) };
  // JSON leaves out what is undefined.
  return { header: JSON.stringify(header), claims: JSON.stringify({ attest, dest: called, div, iat, orig, origid }) };
}

/** Reads what `passportTexts` writes, from any signer. Throws an `IdentityError` in words. */
export function readPassport(header: unknown, claims: unknown): Passport {
  if (!isObject(header) || !isObject(claims)) throw new IdentityError('the token is not readable');
  const { alg, typ, ppt = null, x5u } = header;
  if (typ !== 'passport') throw new IdentityError('the token is no PASSporT');
  if (alg !== 'ES256') throw new IdentityError('the token is not signed with ES256');
  if (ppt !== null && ppt !== 'shaken' && ppt !== 'div') throw new IdentityError('the kind of the token is not known');
  if (typeof x5u !== 'string') throw new IdentityError('the token names no certificate');
  const { attest, dest, div, iat, orig, origid } = claims;
  if (typeof iat !== 'number' || !Number.isSafeInteger(iat)) throw new IdentityError('the token has no time');
  const level = ppt === 'shaken' ? attestations.find((known) => known === attest) : undefined;
  if (ppt === 'shaken' && (level === undefined || typeof origid !== 'string')) {
    throw new IdentityError('the token has no attestation');
  }
  return {
    ...{ ppt, x5u, iat, orig: readOriginator(orig), dest: readDestinations(dest) },
    ...(level !== undefined && { attest: level }),
    ...(typeof origid === 'string' && { origid: origid.slice(0, longestOrigid) }),
    ...(ppt === 'div' && { div: readOriginator(div) }),
  };
}

/** A UUID has 36. */
const longestOrigid = 64;
/** Numbers and URIs of one token. */
const mostDestinations = 16;

function readOriginator(value: unknown): Originator {
  if (isObject(value)) {
    const { tn, uri } = value;
    const number = typeof tn === 'string' ? canonicalNumber(tn) : null;
    if (number !== null) return { tn: number };
    if (typeof uri === 'string') return { uri };
  }
  throw new IdentityError('the token names no caller');
}

function readDestinations(value: unknown): Destinations {
  if (!isObject(value)) throw new IdentityError('the token names no called number');
  // Some signers write a single number without a list.
  const texts = (member: unknown): string[] => {
    const all: readonly unknown[] = Array.isArray(member) ? member : [member];
    return all.filter((one) => typeof one === 'string').slice(0, mostDestinations);
  };
  const tn = texts(value.tn).flatMap((number) => canonicalNumber(number) ?? []);
  const uri = texts(value.uri);
  if (tn.length + uri.length === 0) throw new IdentityError('the token names no called number');
  return { ...(tn.length > 0 && { tn }), ...(uri.length > 0 && { uri }) };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
