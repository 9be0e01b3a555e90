/** What an `Authorization` header claims: which mode, which application, with what proof (contract section 4). */

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

const RANK: Record<Mode, number> = { public: 0, basic: 1, application: 2 };

export function reachesMinimum(mode: Mode, minimum: Mode): boolean {
  return RANK[mode] >= RANK[minimum];
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
