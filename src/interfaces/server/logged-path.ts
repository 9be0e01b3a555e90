/** The path of a request as the log and the list of requests show it. */
import QuickLRU from 'quick-lru';
import { isUuid } from '../../base/uuid.ts';

const callId = /^10-[0-9A-F]{8}-[0-9A-F]{16}-[0-9A-F]{8}$/;

/** Paths that were masked before; a few of them make up nearly all requests. */
const known = new QuickLRU<string, string>({ maxSize: 1_000 });
const longestKnown = 200;

/** The path of a request for the log: segments that may contain a phone number or a code are masked. */
export function loggedPath(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  const found = known.get(path);
  if (found !== undefined) return found;
  const masked = maskedPath(path);
  if (path.length <= longestKnown) known.set(path, masked);
  return masked;
}

function maskedPath(path: string): string {
  return path
    .split('/')
    .map((segment) => (isHarmless(segment) ? segment : '[masked]'))
    .join('/');
}

/** Words of routes, and ids. A percent-encoded segment may hide digits. */
function isHarmless(segment: string): boolean {
  if (isUuid(segment.replace(/\.csv\.gz$/, '')) || callId.test(segment)) return true;
  return /^[\w.~-]*$/.test(segment) && segment.replace(/\D/g, '').length < 4;
}
