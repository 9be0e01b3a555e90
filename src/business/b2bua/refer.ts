/** What a REFER asks for (RFC 3515): the plan of the leg that takes the place of its sender. */
import type { SipRequest } from '../../engines/sip/message/message.ts';
import { parseNameAddress } from '../../engines/sip/message/name-address.ts';
import { SipError } from '../../engines/sip/message/sip-error.ts';
import { decodeEscapes, formatUri, parseSipUriOnly } from '../../engines/sip/message/uri.ts';
import type { DialPlan } from './dial-plan.ts';
import type { HeaderLine } from './headers.ts';
import { planTo } from './redirect.ts';
import type { TargetFinder } from './targets.ts';

interface ReferRefusal {
  status: number;
  reason: string;
}

/**
 * The new leg is dialled as `plan` says, at the address of Refer-To, which is the customer's wish and checked as such.
 * An attended transfer names a call of the other side in `Replaces` (RFC 3891), which goes with the INVITE.
 */
export function transferPlan(plan: DialPlan, refer: SipRequest, targets: TargetFinder): DialPlan | ReferRefusal {
  const named = refer.headers.all('Refer-To');
  const [first] = named;
  if (first === undefined || named.length > 1) return { status: 400, reason: 'One Refer-To is needed' };
  try {
    const { headers, parameters, ...address } = parseSipUriOnly(parseNameAddress(first).uri);
    const method = parameters.get('method')?.toUpperCase() ?? 'INVITE';
    if (method !== 'INVITE') return { status: 603, reason: 'Only calls are transferred' };
    const plain = new Map([...parameters].filter(([name]) => name !== 'method'));
    const uri = formatUri({ ...address, parameters: plain, headers: null });
    const { routes: _routes, ...kept } = plan;
    const added = [...replaces(headers), ...referredBy(refer)];
    return { ...planTo(kept, uri, targets), headers: [...plan.headers, ...added] };
  } catch (error) {
    if (error instanceof SipError) return { status: error.status, reason: error.message };
    throw error;
  }
}

/** From the headers of the URI; other ones are not taken, as RFC 3261 19.1.5 advises. */
function replaces(uriHeaders: string | null): HeaderLine[] {
  const [, escaped] = /(?:^|&)replaces=([^&]*)/i.exec(uriHeaders ?? '') ?? [];
  const value = escaped === undefined ? null : decodeEscapes(escaped);
  return value === null || value === '' ? [] : [['Replaces', value]];
}

function referredBy(refer: SipRequest): HeaderLine[] {
  const value = refer.headers.first('Referred-By');
  return value === undefined ? [] : [['Referred-By', value]];
}
