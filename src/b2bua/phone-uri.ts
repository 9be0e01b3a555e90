/** Marks a number in a SIP URI as one, for peers that take it for a number only then (RFC 3261 19.1.1). */
import type { SipSwitches } from '../voice/sip-switches.ts';

export function phoneUri(uri: string, { userPhone }: Pick<SipSwitches, 'userPhone'>): string {
  const isNumber = /^sips?:\+?\d+@/i.test(uri) && !/;user=/i.test(uri);
  return userPhone && isNumber ? uri.replace(/\?|$/, ';user=phone$&') : uri;
}
