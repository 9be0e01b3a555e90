/** The Identity header (RFC 8224 4): `token;info=<https://…>;alg=ES256;ppt=shaken`, in full or compact form. */
import { IdentityError } from './identity-error.ts';
import { type Destinations, type Originator, type Passport, passportTexts, readPassport } from './passport.ts';

export interface SignedPassport {
  readonly passport: Passport;
  /** The whole token, also of a compact form: header, claims and signature. */
  readonly token: string;
}

/** What a compact form leaves out, because the call says it. */
export interface CallFacts {
  readonly orig: Originator;
  readonly dest: Destinations;
  /** The Date header in seconds; null without one. */
  readonly date: number | null;
}

/** Longest header that is looked at; usual ones have 600 characters. */
const longestHeader = 4_096;

const form = /^([\w-]*)\.([\w-]*)\.([\w-]{40,200})(\s*;.*)$/s;
const parameter = /\s*;\s*([\w-]+)\s*=\s*(?:<([^<>\s]*)>|"([^"]*)"|([^;\s"<>]*))\s*/y;

export function readIdentity(value: string, call: CallFacts): SignedPassport {
  if (value.length > longestHeader) throw new IdentityError('the Identity header is too long');
  const [, header = '', claims = '', signature = '', rest = ''] = form.exec(value.trim()) ?? [];
  if (signature === '') throw new IdentityError('the Identity header is not readable');
  const { info, alg = 'ES256', ppt } = parametersIn(rest);
  if (info === undefined) throw new IdentityError('the Identity header names no certificate');
  if (alg !== 'ES256') throw new IdentityError('the Identity header is not signed with ES256');
  if (header === '' && claims === '') return compactPassport(signature, info, ppt, call);
  const passport = readPassport(json(header), json(claims));
  // What the two say must be the same, or one of them was changed on the way.
  if (passport.x5u !== info) throw new IdentityError('token and header name different certificates');
  if (ppt !== undefined && ppt !== (passport.ppt ?? '')) {
    throw new IdentityError('token and header are of different kinds');
  }
  return { passport, token: `${header}.${claims}.${signature}` };
}

export function identityHeader(token: string, { x5u, ppt }: Pick<Passport, 'x5u' | 'ppt'>): string {
  return `${token};info=<${x5u}>;alg=ES256${ppt === null ? '' : `;ppt=${ppt}`}`;
}

/** `shaken` and `div` say more than the call does, so they have no compact form that can be checked. */
function compactPassport(signature: string, x5u: string, ppt: string | undefined, call: CallFacts): SignedPassport {
  if (ppt !== undefined) throw new IdentityError('a token in compact form has no attestation');
  if (call.date === null) throw new IdentityError('a token in compact form needs a Date header');
  const passport: Passport = { ppt: null, x5u, orig: call.orig, dest: call.dest, iat: call.date };
  const { header, claims } = passportTexts(passport);
  return { passport, token: `${base64(header)}.${base64(claims)}.${signature}` };
}

function parametersIn(text: string): Readonly<Record<string, string | undefined>> {
  const found: Record<string, string> = Object.create(null);
  parameter.lastIndex = 0;
  while (parameter.lastIndex < text.length) {
    const [, name, inBrackets, quoted, plain = ''] = parameter.exec(text) ?? [];
    if (name === undefined) throw new IdentityError('the Identity header is not readable');
    found[name.toLowerCase()] ??= inBrackets ?? quoted ?? plain;
  }
  return found;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64url');

function json(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    throw new IdentityError('the token is not readable');
  }
}
