/** The text of one setting to its value. A FieldError completes the sentence "TRUNKLINE_PORT …". */
import { isIP } from 'node:net';
import path from 'node:path';
import { FieldError, wholeNumber } from '../../base/fields.ts';
import { ServerKey } from '../../base/server-key.ts';
import type { AdvertisedAddress } from '../../business/b2bua/sip-settings.ts';
import type { SmtpConfig } from '../../business/mail/mailer.ts';
import { rangeList } from '../../engines/outbound/address-policy.ts';
import type { Role } from './types.ts';

export function parseText(text: string): string {
  if (text.trim() === '') throw new FieldError('must not be empty');
  return text.trim();
}

/** Lines of an address, separated by `|` or line breaks. */
export function parseLines(text: string): string[] {
  return text
    .split(/[|\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function parsePort(text: string): { number: number | null } {
  if (text === 'off') return { number: null };
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 65535)) throw new FieldError(`must be a port from 0 to 65535 or "off", not "${text}"`);
  return { number };
}

export function parseCount(text: string): number {
  return wholeNumber(2, 1000)(text);
}

/** As `parseCount`, for what may be a single one. */
export function parseSmallCount(text: string): number {
  return wholeNumber(1, 1000)(text);
}

export function parseLargeCount(text: string): number {
  return wholeNumber(1, 1_000_000)(text);
}

export function parseDays(text: string): number {
  return wholeNumber(0, 365)(text);
}

/** Up to a year. */
export function parseHours(text: string): number {
  return wholeNumber(0, 8_760)(text);
}

export function parseReserveSeconds(text: string): number {
  return wholeNumber(1, 60)(text);
}

export function parseMilliseconds(text: string): number {
  return wholeNumber(100, 600_000)(text);
}

/** The text itself may hold a password, so it is not repeated. */
export function parseSmtpUrl(text: string): Omit<SmtpConfig, 'from'> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || url.pathname.length > 1) {
    throw new FieldError('must be an address such as smtps://user@mail.example.com:465');
  }
  const isTls = url.protocol === 'smtps:';
  const partOf = (part: string) => (part === '' ? null : decodeURIComponent(part));
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    user: partOf(url.username),
    password: partOf(url.password),
  };
}

/** `Name <address>`, or the address alone. */
export function parseMailAddress(text: string): string {
  if (!/^(?:[^<>@\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text.trim())) {
    throw new FieldError('must be an e-mail address such as billing@example.com');
  }
  return text.trim();
}

/** Storage with its bucket in the path. */
export function parseBucketUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    url.pathname.length < 2 ||
    !/^https?:$/.test(url.protocol) ||
    url.search ||
    url.hash ||
    url.username ||
    url.password
  ) {
    throw new FieldError('must be an http or https address with a bucket, such as https://s3.example.com/files');
  }
  return text.replace(/\/+$/, '');
}

export function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new FieldError('must be an http or https address without user, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}

const roles: readonly Role[] = ['api', 'worker', 'voice'];

export function parseRoles(text: string): ReadonlySet<Role> {
  const named = words(text).map((word) => {
    const role = roles.find((candidate) => candidate === word);
    if (role === undefined)
      throw new FieldError(`must be api, worker, voice or several of them with commas, not "${text}"`);
    return role;
  });
  if (named.length === 0) throw new FieldError('must name at least one of api, worker and voice');
  return new Set(named);
}

/** Addresses to bind for SIP: one of a family, since a family has one address in Via and Contact. */
export function parseBindAddresses(text: string): string[] {
  const addresses = words(text);
  const families = addresses.map((address) => isIP(address));
  if (addresses.length === 0 || families.includes(0) || new Set(families).size < families.length) {
    throw new FieldError(`must be an IPv4 address, an IPv6 address, or one of each with a comma, not "${text}"`);
  }
  return addresses;
}

/** `203.0.113.7`, `sip.example.com:5080`, `[2001:db8::1]:5060`; at most one for each family. */
export function parseAdvertised(text: string): AdvertisedAddress[] {
  return words(text).map((word) => {
    const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(word) ?? [];
    const host = bracketed ?? plain ?? (isIP(word) === 6 ? word : null);
    const port = digits === undefined ? null : Number(digits);
    if (host === null || (bracketed !== undefined && isIP(bracketed) !== 6) || port === 0 || (port ?? 1) > 65535) {
      throw new FieldError(`must list hosts such as 203.0.113.7 or sip.example.com:5080, not "${word}"`);
    }
    return { host, port };
  });
}

/** Addresses and networks only: a name could mean something else tomorrow. */
export function parseNetworks(text: string): string[] {
  try {
    rangeList(words(text));
  } catch {
    throw new FieldError(`must list addresses or networks such as 10.1.0.0/16, not "${text}"`);
  }
  return words(text);
}

export function parseOrigins(text: string): string[] {
  for (const word of words(text)) {
    const isOrigin = /^https?:/.test(word) && URL.canParse(word) && new URL(word).origin === word;
    if (!isOrigin) throw new FieldError(`must list origins such as https://phone.example.com, not "${word}"`);
  }
  return words(text);
}

export function parsePaths(text: string): string[] {
  return words(text).map((word) => path.resolve(word));
}

export function parseHeaderWord(text: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]{0,30}$/.test(text)) throw new FieldError('must be one word of letters and digits');
  return text;
}

/** Addresses, networks, or the names that Fastify knows for the usual private networks. */
export function parseAddressList(text: string): string[] {
  const names = ['loopback', 'linklocal', 'uniquelocal'];
  for (const word of words(text)) {
    const [address = '', length, ...rest] = word.split('/');
    const family = isIP(address);
    const fits = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
    if (!names.includes(word) && !(family > 0 && fits && rest.length === 0)) {
      throw new FieldError(`must list addresses or networks such as 10.0.0.0/8, and "${word}" is neither`);
    }
  }
  return words(text);
}

/** One key; several, with commas or on lines of their own, while it is being replaced. */
export function parseServerKey(text: string): ServerKey {
  const [first, ...others] = text.split(/[\s,]+/).map(parseKey);
  if (first === undefined) throw new FieldError('must be 32 bytes in base64');
  return new ServerKey(first, ...others);
}

function parseKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32 || !/^[\w+/-]{43}=?$/.test(text)) throw new FieldError('must be 32 bytes in base64');
  return key;
}

export function parseShare(text: string): number {
  const share = Number(text);
  if (text === '' || !(share >= 0 && share <= 1)) throw new FieldError(`must be a number from 0 to 1, not "${text}"`);
  return share;
}

export function parseLogLevel(text: string): string {
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
  if (!levels.includes(text)) throw new FieldError(`must be one of ${levels.join(', ')}, not "${text}"`);
  return text;
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
