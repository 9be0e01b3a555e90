/** The inbound implementation of `Direction`. */
import type { CallCharge, Direction } from '../direction.ts';
import type { InboundCall } from './call.ts';
import { type Charges, chargesOf, inboundCdrs } from './cdr.ts';
import { isRoutable } from './destination.ts';
import { incomingConnect, incomingEnd, incomingStart } from './events.ts';
import { refusal } from './refusals.ts';

export const inbound: Direction<InboundCall> = {
  name: 'in',
  cdrTable: 'cdrs_in',
  eventStream: 'voice_in_events',
  cdrStream: 'voice_in_cdr',
  holding(call) {
    const trunkId = call.attempts.at(-1)?.trunkId;
    if (trunkId === undefined) throw new Error('an inbound call is opened with its first attempt');
    const { trunkGroupId, didId, channel, sharedCapacityGroupId } = call;
    return { trunkId, trunkGroupId, didId, channel, sharedCapacityGroupId };
  },
  cannotBegin(call) {
    const destination = call.attempts.at(-1)?.destination ?? '';
    return isRoutable(destination) ? null : refusal('protocol_not_supported').code;
  },
  startEvent: incomingStart,
  connectEvent: incomingConnect,
  endEvent: incomingEnd,
  settle(call) {
    const charges = chargesOf(call);
    return { cdrs: inboundCdrs(call, charges), charges: movementsOf(charges) };
  },
};

function movementsOf({ metered, tollFree, pstn, cnam }: Charges): CallCharge[] {
  return [
    ...(metered ? [{ cause: 'metered_minutes', occasion: 'metered', charge: metered } as const] : []),
    ...(tollFree ? [{ cause: 'metered_minutes', occasion: 'toll_free', charge: tollFree } as const] : []),
    ...(pstn ? [{ cause: 'call_charge', occasion: 'pstn', charge: pstn } as const] : []),
    ...(cnam ? [{ cause: 'call_charge', occasion: 'cnam', charge: cnam } as const] : []),
  ];
}
