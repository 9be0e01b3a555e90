/** SIP and SIPS URIs (RFC 3261 19.1) with user, parameters and headers; URIs of other schemes are kept as text. */
import { limits } from './limits.ts';
import { formatParameters, type Parameters, parseParameters } from './parameters.ts';
import { badRequest, SipError } from './sip-error.ts';
import { characterTable, cleanText, consistsOf, isHost, isToken, parsePort } from './text.ts';

export interface SipUri {
  scheme: 'sip' | 'sips';
  /** As written, with its percent escapes; `decodeEscapes` reads it. */
  user: string | null;
  password: string | null;
  /** Lower case; an IPv6 address stands in brackets. */
  host: string;
  port: number | null;
  parameters: Parameters;
  /** What follows `?`, as written. */
  headers: string | null;
}

/** For example `tel:+4420…` or a scheme this layer does not know. */
interface OtherUri {
  scheme: string;
  text: string;
}

const alphanumeric = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const unreserved = `${alphanumeric}-_.!~*'()`;
/** `#` should be escaped, but phones send it as it is dialled. */
const userTable = characterTable(`${unreserved}%&=+$,;?/#`);
const plainUserTable = characterTable(`${unreserved}&=+$,;?/`);
const passwordTable = characterTable(`${unreserved}%&=+$,`);
const parameterTable = characterTable(`${unreserved}%[]/:&+$`);
const headersTable = characterTable(`${unreserved}%[]/?:+$=&`);
const printableTable = characterTable(
  Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join(''),
);

export function isSipUri(uri: SipUri | OtherUri): uri is SipUri {
  return 'host' in uri;
}

/** Throws 400 for a malformed URI. */
export function parseUri(text: string): SipUri | OtherUri {
  if (text.length > limits.uriCharacters) throw new SipError(414, 'Request-URI Too Long');
  if (!consistsOf(printableTable, text)) throw badRequest('Malformed URI');
  const colon = text.indexOf(':');
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!isToken(scheme)) throw badRequest('Malformed URI');
  if (scheme === 'sip' || scheme === 'sips') return parseSipUri(scheme, text, colon + 1);
  // Other schemes: anything without the characters that would end a name-addr.
  if (/[<>"]/.test(text)) throw badRequest('Malformed URI');
  return { scheme, text };
}

/** A SIP or SIPS URI; throws 416 for another scheme. */
export function parseSipUriOnly(text: string): SipUri {
  const uri = parseUri(text);
  if (!isSipUri(uri)) throw new SipError(416, 'Unsupported URI Scheme');
  return uri;
}

function parseSipUri(scheme: 'sip' | 'sips', text: string, start: number): SipUri {
  // An @ must be escaped everywhere but before the host, so there is at most one.
  const atSign = text.indexOf('@', start);
  if (atSign >= 0 && text.indexOf('@', atSign + 1) >= 0) throw badRequest('Malformed URI');
  let user: string | null = null;
  let password: string | null = null;
  if (atSign >= 0) {
    const colon = text.indexOf(':', start);
    const userEnd = colon >= 0 && colon < atSign ? colon : atSign;
    user = text.slice(start, userEnd);
    checkPart(userTable, user);
    if (userEnd < atSign) password = text.slice(userEnd + 1, atSign);
    if (password) checkPart(passwordTable, password);
  }
  const hostStart = atSign >= 0 ? atSign + 1 : start;
  const question = text.indexOf('?', hostStart);
  const bodyEnd = question < 0 ? text.length : question;
  const semicolon = text.indexOf(';', hostStart);
  const hostEnd = semicolon < 0 || semicolon > bodyEnd ? bodyEnd : semicolon;
  const headers = question < 0 ? null : text.slice(question + 1);
  if (headers) checkPart(headersTable, headers);
  const parameters = hostEnd < bodyEnd ? parseParameters(text.slice(hostEnd, bodyEnd), 0) : new Map();
  for (const value of parameters.values()) if (value) checkPart(parameterTable, value);
  return { scheme, user, password, ...parseHostPort(text.slice(hostStart, hostEnd)), parameters, headers };
}

/** `host`, `host:port`, `[v6]` or `[v6]:port`. */
export function parseHostPort(text: string): { host: string; port: number | null } {
  const colon = text.indexOf(':', text.startsWith('[') ? text.indexOf(']') : 0);
  const host = colon < 0 ? text : text.slice(0, colon).trimEnd();
  const port = colon < 0 ? null : parsePort(text.slice(colon + 1).trim());
  if (!isHost(host) || (colon >= 0 && port === null)) throw badRequest('Malformed host or port');
  return { host: host.toLowerCase(), port };
}

export function formatUri(uri: SipUri | OtherUri): string {
  if (!isSipUri(uri)) return uri.text;
  const password = uri.password === null ? '' : `:${uri.password}`;
  const user = uri.user === null ? '' : `${uri.user}${password}@`;
  const headers = uri.headers === null ? '' : `?${uri.headers}`;
  return `${uri.scheme}:${user}${formatHostPort(uri)}${formatParameters(uri.parameters)}${headers}`;
}

export function formatHostPort({ host, port }: { host: string; port: number | null }): string {
  return port === null ? host : `${host}:${port}`;
}

/** An address as a host of URIs and Via: IPv6 in brackets. */
export function hostOfAddress(address: string): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
}

/** The host without the brackets of IPv6. */
export function addressOfHost(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

/** The text that percent escapes stand for, or null when they are not UTF-8 or malformed. */
export function decodeEscapes(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Any text as the user part of a URI. */
export function encodeUser(text: string): string {
  const clean = cleanText(text);
  if (consistsOf(plainUserTable, clean)) return clean;
  const wellFormed = clean.isWellFormed() ? clean : clean.toWellFormed();
  return encodeURIComponent(wellFormed).replace(/%2B/g, '+').replace(/%3D/g, '=');
}

function checkPart(table: Uint8Array, part: string): void {
  if (!consistsOf(table, part)) throw badRequest('Malformed URI');
  for (let at = part.indexOf('%'); at >= 0; at = part.indexOf('%', at + 1)) {
    if (!/^[0-9a-fA-F]{2}$/.test(part.slice(at + 1, at + 3))) throw badRequest('Malformed escape in URI');
  }
}
