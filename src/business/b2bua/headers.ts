/** Headers that this element writes itself: the reason of an end, and what the carrier of an emergency call gets. */
import type { SipResponse } from '../../engines/sip/message/message.ts';
import { quote } from '../../engines/sip/message/text.ts';
import { sipCodeOf } from '../voice/disconnect-codes.ts';
import type { EmergencyCaller } from '../voice/outbound/decide.ts';

export type HeaderLine = readonly [name: string, value: string];

/** Why a call was refused or ended (RFC 3326), in words that the peer's log shows. */
export const reasonValue = (code: number, text: string): string => `SIP;cause=${sipCodeOf(code)};text=${quote(text)}`;

export const reasonHeader = (code: number, text: string): HeaderLine => ['Reason', reasonValue(code, text)];

/**
 * The status for the caller when a call ends before the answer: redirections and successes of attempts are not the
 * caller's.
 */
export function callerStatus(code: number): number {
  const status = sipCodeOf(code);
  return status >= 400 && status <= 699 ? status : 480;
}

/** The challenge of a leg whose refusal the caller gets: 401 and 407 mean nothing without it (RFC 3261 22.2, 22.3). */
export function challengesIn(refusal: SipResponse | null, code: number): HeaderLine[] {
  const name = code === 401 ? 'WWW-Authenticate' : code === 407 ? 'Proxy-Authenticate' : null;
  if (refusal?.status !== code || name === null) return [];
  return refusal.headers.all(name).map((value): HeaderLine => [name, value]);
}

/**
 * The registered address of an emergency caller for the carrier that takes the call, which is personal data: never
 * stored or logged. One header with the parts of the address as parameters; carriers that need another form map it at
 * their edge.
 */
export function emergencyHeaders({ number, country, address }: EmergencyCaller): HeaderLine[] {
  const priority: HeaderLine[] = [
    ['Priority', 'emergency'],
    ['Resource-Priority', 'esnet.1'],
  ];
  if (address === null) return priority;
  const parts = Object.entries(address)
    .filter(([, value]) => value !== null && value !== '')
    .map(
      ([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${quote(String(value))}`,
    );
  return [...priority, ['X-Emergency-Address', [`+${number}`, `caller-country=${country}`, ...parts].join(';')]];
}
