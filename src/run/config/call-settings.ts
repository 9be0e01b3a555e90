/** What an operator sets about calls: reading the parts that are more than one value. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FieldError } from '../../base/fields.ts';
import type { NameService } from '../../engines/environment.ts';

const algorithms = ['MD5', 'SHA-256'] as const;

/** In the order given: many phones look at the first challenge only. */
export function parseDigest(text: string): (typeof algorithms)[number][] {
  const named = text.split(',').map((word) => word.trim().toUpperCase());
  return named.map((word) => {
    const known = algorithms.find((algorithm) => algorithm === word);
    if (known === undefined) throw new FieldError(`must list ${algorithms.join(' and ')}, not "${text}"`);
    return known;
  });
}

/** Beginnings of names, which may have spaces in them; an empty list is possible. */
export const parseAgents = (text: string): string[] =>
  text
    .split(',')
    .map((agent) => agent.trim())
    .filter((agent) => agent !== '');

/** The URL of a service of callers' names; the number is put into it. */
export function parseNameUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new FieldError('must be an http or https address without user');
  }
  if (!text.includes('{number}')) throw new FieldError('must have {number} where the number of the caller goes');
  return text;
}

export function nameService(
  url: string | null,
  token: string | null,
  member: string,
  timeoutMs: number,
): NameService | null {
  return url === null ? null : { url, token, member, timeoutMs };
}

/** The certificates in a PEM file: authorities whose signers of callers are believed. */
export function parseIdentityAuthorities(text: string): string[] {
  const file = path.resolve(text);
  const pems = read(file).match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
  if (pems.length === 0) throw new FieldError(`names ${file}, which has no certificate in PEM form`);
  for (const pem of pems) {
    if (!isAuthority(pem)) throw new FieldError(`names ${file}, which has a certificate that is no authority's`);
  }
  return pems;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new FieldError(`names ${file}, which cannot be read (${code})`);
  }
}

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
