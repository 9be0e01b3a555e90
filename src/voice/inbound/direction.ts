/** The inbound implementation of `Direction`, with the bodies of the Voice IN events. */
import { durationOf } from '../call.ts';
import { timestamp, timestampOrNull } from '../moment.ts';
import type { CallCharge, CallEvent, Direction } from '../ports.ts';
import { isRoutable } from './attempt.ts';
import type { InboundCall } from './call.ts';
import { type Charges, chargesOf, inboundCdrs } from './cdr.ts';
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

/** Sent when routing is complete. The connecting leg is not known yet, so there is no `call_id`. */
export function incomingStart(call: InboundCall): CallEvent {
  return event('incoming-call-start-event', call, {
    time_start: timestamp(call.timeStart),
    did_number: call.didNumber,
    src_number: call.srcNumber,
  });
}

export function incomingConnect(call: InboundCall): CallEvent {
  return event('incoming-call-connect-event', call, {
    time_start: timestamp(call.timeStart),
    time_connect: timestampOrNull(call.timeConnect),
    did_number: call.didNumber,
    src_number: call.srcNumber,
    call_id: legOf(call),
  });
}

export function incomingEnd(call: InboundCall): CallEvent {
  return event('incoming-call-end-event', call, {
    time_start: timestamp(call.timeStart),
    time_connect: timestampOrNull(call.timeConnect),
    time_end: timestampOrNull(call.timeEnd),
    duration: durationOf(call),
    did_number: call.didNumber,
    src_number: call.srcNumber,
    call_id: legOf(call),
  });
}

/** The connected leg, or the last one tried. */
const legOf = (call: InboundCall): string | null => call.attempts.at(-1)?.callId ?? null;

const event = (type: string, call: InboundCall, attributes: Record<string, unknown>): CallEvent => ({
  type,
  id: call.id,
  attributes,
});
