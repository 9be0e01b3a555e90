/**
 * The `Authorization` header: its three modes and what each claims (contract section 4), and the signature of signed
 * requests and approval callbacks, HMAC-SHA256 over five lines (contract section 5).
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export type Mode = 'public' | 'basic' | 'application';

export type Claim =
  | { mode: 'public'; key: string }
  | { mode: 'basic'; key: string; secret: string }
  | { mode: 'application'; key: string; signature: string };

/** Null for every header that is not exactly one of the three forms; such a header is never read as a weaker mode. */
export function parseAuthorization(header: string | undefined): Claim | null {
  if (header?.startsWith('Basic ')) return parseBasic(header.slice('Basic '.length));
  if (header?.startsWith('Application ')) return parseApplication(header.slice('Application '.length));
  return null;
}

const modeRank: Record<Mode, number> = { public: 0, basic: 1, application: 2 };

export function reachesMinimum(mode: Mode, minimum: Mode): boolean {
  return modeRank[mode] >= modeRank[minimum];
}

/** The first colon anywhere makes it the signed form; an empty half makes it malformed. */
function parseApplication(text: string): Claim | null {
  const colon = text.indexOf(':');
  if (colon === -1) return text === '' ? null : { mode: 'public', key: text };
  const key = text.slice(0, colon);
  const signature = text.slice(colon + 1);
  return key === '' || signature === '' ? null : { mode: 'application', key, signature };
}

function parseBasic(text: string): Claim | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 1 || colon === decoded.length - 1) return null;
  return { mode: 'basic', key: decoded.slice(0, colon), secret: decoded.slice(colon + 1) };
}

/** The age of a signed request: at most five minutes either way, both ends included. */
export function timestampIsFresh(timestamp: string | undefined, nowMs: number): timestamp is string {
  if (timestamp === undefined || !/^\d{1,15}$/.test(timestamp)) return false;
  return Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) <= 300;
}

interface SignedParts {
  method: string;
  body: Buffer;
  /** The raw header value; empty when there was no header. */
  contentType: string;
  /** The timestamp exactly as the header carries it. */
  timestamp: string;
  /** The path as on the request line: undecoded, without the query. */
  path: string;
}

export function sign(key: KeyObject, parts: SignedParts): string {
  return createHmac('sha256', key).update(stringToSign(parts)).digest('base64');
}

/** The key of a secret in base64url: the bytes it decodes to. Made once per application, since making it costs most. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'base64url'));
}

export function stringToSign({ method, body, contentType, timestamp, path }: SignedParts): string {
  return [method.toUpperCase(), contentMd5(body), contentType, `x-timestamp:${timestamp}`, path].join('\n');
}

/** Empty for a body that is absent or holds nothing but ASCII white space. */
export function contentMd5(body: Buffer): string {
  return body.every(isAsciiSpace) ? '' : hash('md5', body, 'base64');
}

/** Space, and tab to carriage return: \t \n \v \f \r. */
function isAsciiSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/**
 * The path of a registered callback URL as it was written, without query and fragment: a bare origin signs the empty
 * string although its request line says `/`. `new URL` would normalise, so the text itself is cut.
 */
export function registeredPath(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '';
}
