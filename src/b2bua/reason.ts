/** The Reason header (RFC 3326): why a call was refused or ended, in words that the peer's log shows. */
import { quote } from '../sip/message/text.ts';
import { sipCodeOf } from '../voice/disconnect-codes.ts';

export type HeaderLine = readonly [name: string, value: string];

export const reasonValue = (code: number, text: string): string => `SIP;cause=${sipCodeOf(code)};text=${quote(text)}`;

export const reasonHeader = (code: number, text: string): HeaderLine => ['Reason', reasonValue(code, text)];

/** The status for the caller when a call ends before the answer: redirections and successes of attempts are not the caller's. */
export function callerStatus(code: number): number {
  const status = sipCodeOf(code);
  return status >= 400 && status <= 699 ? status : 480;
}
