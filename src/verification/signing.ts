/** The signature of signed requests and of approval callbacks: HMAC-SHA256 over five lines (contract section 5). */
import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export interface SignedParts {
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
  return body.every(isAsciiSpace) ? '' : createHash('md5').update(body).digest('base64');
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
