/** A 3xx of a trunk: its Contact becomes the next plan of the same attempt. */
import type { SipResponse } from '../sip/message/message.ts';
import { parseNameAddress } from '../sip/message/name-address.ts';
import { SipError } from '../sip/message/sip-error.ts';
import { formatUri, parseSipUriOnly } from '../sip/message/uri.ts';
import type { DialPlan } from './dial-plan.ts';
import type { TargetFinder } from './targets.ts';

/** Null if the response names nothing that can be dialled. The address is the customer's wish, so it is checked as such. */
export function redirected(plan: DialPlan, response: SipResponse, targets: TargetFinder): DialPlan | null {
  try {
    const [contact] = response.headers.all('Contact');
    if (contact === undefined) return null;
    const parsed = { ...parseSipUriOnly(parseNameAddress(contact).uri), headers: null };
    const uri = formatUri(parsed);
    return { ...plan, uri, to: `<${uri}>`, findTargets: () => targets.find(uri, { owner: 'customer' }) };
  } catch (error) {
    if (error instanceof SipError) return null;
    throw error;
  }
}
