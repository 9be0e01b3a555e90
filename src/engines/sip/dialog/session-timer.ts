/** Session timers (RFC 4028): who refreshes, how often, and when a silent session counts as dead. */
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { parseDigits } from '../message/text.ts';

/** The least interval that this end accepts, and the least that RFC 4028 allows anybody to demand. */
export const leastInterval = 90;

export interface SessionTimer {
  seconds: number;
  /** Whether this end sends the refreshes. */
  refreshes: boolean;
}

interface SessionExpires {
  seconds: number;
  refresher: string | undefined;
}

/** Null where the header is absent or malformed: a call is not lost for it. */
function sessionExpires(message: SipMessage): SessionExpires | null {
  const [first = '', ...parameters] = (message.headers.first('Session-Expires') ?? '').toLowerCase().split(';');
  const seconds = parseDigits(first.trim(), 9);
  if (seconds === null) return null;
  const refresher = parameters.map((each) => /^\s*refresher\s*=\s*(\w+)\s*$/.exec(each)?.[1]).find((value) => value);
  return { seconds, refresher };
}

export function minSe(message: SipMessage): number {
  const [digits = ''] = (message.headers.first('Min-SE') ?? '').split(';');
  return Math.max(leastInterval, parseDigits(digits.trim(), 9) ?? leastInterval);
}

/** Whether a request demands shorter intervals than this end accepts: it is answered 422 with Min-SE. */
export function isTooShort(request: SipRequest, least: number): boolean {
  const wanted = sessionExpires(request);
  return wanted !== null && wanted.seconds < least && request.headers.lists('Supported', 'timer');
}

/** What the client of an INVITE or UPDATE takes from its 2xx. */
export function timerOfResponse(response: SipResponse): SessionTimer | null {
  const agreed = sessionExpires(response);
  return agreed && { seconds: agreed.seconds, refreshes: agreed.refresher !== 'uas' };
}

/**
 * What the server of an INVITE or UPDATE puts into its 2xx: the peer's wish, if it has one. A peer that does not know
 * session timers cannot refresh, so this end does.
 */
export function timerForResponse(request: SipRequest): (SessionTimer & { header: string }) | null {
  const asked = sessionExpires(request);
  if (asked === null) return null;
  const { seconds, refresher } = asked;
  const refreshes = refresher === 'uas' || !request.headers.lists('Supported', 'timer');
  return { seconds, refreshes, header: `${seconds};refresher=${refreshes ? 'uas' : 'uac'}` };
}

/** The refresher acts at half of the interval; the other end waits until shortly before its end (RFC 4028 10). */
export function nextActionMs({ seconds, refreshes }: SessionTimer): number {
  return 1000 * (refreshes ? seconds / 2 : seconds - Math.min(32, seconds / 3));
}
