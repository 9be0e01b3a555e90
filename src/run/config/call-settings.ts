/** What an operator sets about calls: reading the parts that are more than one value. */

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
