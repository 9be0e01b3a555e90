/** Whether two SIP URIs mean the same (RFC 3261 19.1.4): the registrar finds a binding by it. */
import type { SipUri } from './uri.ts';

/** Parameters that count even when only one of the URIs has them. */
const alwaysCompared = ['user', 'ttl', 'method', 'maddr', 'transport'];

export function sameUri(one: SipUri, other: SipUri): boolean {
  return (
    one.scheme === other.scheme &&
    normalised(one.user) === normalised(other.user) &&
    normalised(one.password) === normalised(other.password) &&
    one.host.toLowerCase() === other.host.toLowerCase() &&
    one.port === other.port &&
    sameParameters(one, other) &&
    sameHeaders(one.headers, other.headers)
  );
}

function sameParameters(one: SipUri, other: SipUri): boolean {
  for (const name of alwaysCompared) {
    if (one.parameters.has(name) !== other.parameters.has(name)) return false;
  }
  for (const [name, value] of one.parameters) {
    const against = other.parameters.get(name);
    if (against !== undefined && normalised(value)?.toLowerCase() !== normalised(against)?.toLowerCase()) return false;
  }
  return true;
}

function sameHeaders(one: string | null, other: string | null): boolean {
  const sorted = (headers: string | null) =>
    (headers ?? '')
      .split('&')
      .map((header) => normalised(header))
      .sort()
      .join('&');
  return sorted(one) === sorted(other);
}

/** Escapes of characters that need none are resolved, others written in upper case; the letter case stays. */
function normalised(text: string | null): string | null {
  if (!text?.includes('%')) return text;
  return text.replace(/%[0-9a-fA-F]{2}/g, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9\-_.!~*'()]/.test(character) ? character : escaped.toUpperCase();
  });
}
