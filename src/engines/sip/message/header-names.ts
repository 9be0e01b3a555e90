/** Names of headers: their usual spelling, compact forms, and which of them are comma-separated lists. */

interface HeaderKind {
  /** One-letter form (RFC 3261 7.3.3 and later). */
  compact?: string;
  /** Several values may stand in one line, separated by commas. */
  list?: true;
  /** Two lines with this name make a message ambiguous. */
  single?: true;
}

const kinds: Record<string, HeaderKind> = {
  Accept: { list: true },
  'Accept-Encoding': { list: true },
  'Accept-Language': { list: true },
  'Alert-Info': { list: true },
  Allow: { list: true },
  'Allow-Events': { compact: 'u', list: true },
  Authorization: {},
  'Call-ID': { compact: 'i', single: true },
  'Call-Info': { list: true },
  Contact: { compact: 'm', list: true },
  'Content-Disposition': { single: true },
  'Content-Encoding': { compact: 'e', list: true },
  'Content-Length': { compact: 'l', single: true },
  'Content-Type': { compact: 'c', single: true },
  CSeq: { single: true },
  Date: {},
  Diversion: { list: true },
  'Error-Info': { list: true },
  Event: { compact: 'o', single: true },
  Expires: { single: true },
  From: { compact: 'f', single: true },
  'History-Info': { list: true },
  Identity: { compact: 'y' },
  'Max-Forwards': { single: true },
  'Min-Expires': { single: true },
  'Min-SE': { single: true },
  'P-Asserted-Identity': { list: true },
  'P-Preferred-Identity': { list: true },
  Path: { list: true },
  Privacy: {},
  'Proxy-Authenticate': {},
  'Proxy-Authorization': {},
  'Proxy-Require': { list: true },
  RAck: { single: true },
  Reason: { list: true },
  'Record-Route': { list: true },
  'Refer-To': { compact: 'r', single: true },
  'Referred-By': { compact: 'b', single: true },
  'Reject-Contact': { compact: 'j', list: true },
  'Remote-Party-ID': { list: true },
  Replaces: { single: true },
  'Request-Disposition': { compact: 'd', list: true },
  Require: { list: true },
  'Retry-After': { single: true },
  Route: { list: true },
  RSeq: { single: true },
  Server: {},
  'Service-Route': { list: true },
  'Session-Expires': { compact: 'x', single: true },
  Subject: { compact: 's' },
  Supported: { compact: 'k', list: true },
  Timestamp: { single: true },
  To: { compact: 't', single: true },
  Unsupported: { list: true },
  'User-Agent': {},
  Via: { compact: 'v', list: true },
  Warning: { list: true },
  'WWW-Authenticate': {},
};

export interface HeaderName {
  /** Lower case; equal for all spellings. */
  key: string;
  /** As it is written. */
  name: string;
  list: boolean;
  single: boolean;
}

const known = new Map<string, HeaderName>();
for (const [name, kind] of Object.entries(kinds)) {
  const header = { key: name.toLowerCase(), name, list: kind.list === true, single: kind.single === true };
  for (const spelling of [name, header.key, name.toUpperCase()]) known.set(spelling, header);
  if (kind.compact) for (const letter of [kind.compact, kind.compact.toUpperCase()]) known.set(letter, header);
}

/** What is known about a header, whatever its spelling; an unknown name keeps its own. */
export function headerName(spelling: string): HeaderName {
  const found = known.get(spelling);
  if (found) return found;
  const key = spelling.toLowerCase();
  return known.get(key) ?? { key, name: spelling, list: false, single: false };
}
