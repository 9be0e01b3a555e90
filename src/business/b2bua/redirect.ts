/** Another address for the same attempt: the Contact of a 3xx, or of a transfer. */
import type { SipResponse } from '../../engines/sip/message/message.ts';
import { parseNameAddress } from '../../engines/sip/message/name-address.ts';
import { SipError } from '../../engines/sip/message/sip-error.ts';
import { formatUri, parseSipUriOnly } from '../../engines/sip/message/uri.ts';
import type { DialPlan } from './dial-plan.ts';
import type { TargetFinder } from './targets.ts';

/** Null if the response names nothing that can be dialled. */
export function redirected(plan: DialPlan, response: SipResponse, targets: TargetFinder): DialPlan | null {
  try {
    const [contact] = response.headers.all('Contact');
    if (contact === undefined) return null;
    const uri = formatUri({ ...parseSipUriOnly(parseNameAddress(contact).uri), headers: null });
    return planTo(plan, uri, targets);
  } catch (error) {
    if (error instanceof SipError) return null;
    throw error;
  }
}

/** The address is the customer's wish, so it is checked as such. */
export function planTo(plan: DialPlan, uri: string, targets: TargetFinder): DialPlan {
  return { ...plan, uri, to: `<${uri}>`, findTargets: () => targets.find(uri, { owner: 'customer' }) };
}
