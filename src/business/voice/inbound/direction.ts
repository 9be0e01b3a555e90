/** The inbound implementation of `Direction`, with the bodies of the Voice IN events. */
import { type CallCharge, type Direction, eventTimes, tracedParts } from '../ports.ts';
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
  /** The start event is sent when routing is complete. The connecting leg is not known then, so it has no `call_id`. */
  event: (kind, call) => ({
    type: `incoming-call-${kind}-event`,
    id: call.id,
    attributes: {
      ...eventTimes(kind, call),
      did_number: call.didNumber,
      src_number: call.srcNumber,
      ...(kind === 'start' ? {} : { call_id: call.attempts.at(-1)?.callId ?? null }),
    },
  }),
  traced: (call) => ({
    ...tracedParts(call),
    dstNumber: call.didNumber,
    trunkIds: [...new Set(call.attempts.map(({ trunkId }) => trunkId))],
    trunkName: call.attempts.at(-1)?.trunkName ?? null,
    carrierName: call.carrier?.name ?? null,
    callerSide: 'carrier',
    // A call that is forwarded to the telephone network goes out through a carrier.
    attempts: call.attempts.map(({ callId, destination }) => ({
      callId,
      side: destination.startsWith('tel:') ? 'carrier' : 'customer',
    })),
  }),
  tariff(call) {
    const { tollFreeRate, meteredRate, channel, vatRate } = call;
    const rates = [tollFreeRate, call.attempts.at(-1)?.forwardingRate, channel === 'metered' ? meteredRate : null];
    const lookup = call.attempts.find(({ nameLookupRate }) => nameLookupRate)?.nameLookupRate ?? null;
    return { rates: rates.filter((rate) => rate != null), flat: lookup === null ? [] : [lookup], vatRate };
  },
  /** A caller's name that cannot be paid is not delivered. */
  cheaper(call) {
    const attempt = call.attempts.at(-1);
    if (attempt === undefined || attempt.nameLookupRate === null) return null;
    const { callerName: _, ...unnamed } = attempt;
    return { ...call, attempts: [...call.attempts.slice(0, -1), { ...unnamed, nameLookupRate: null }] };
  },
  dialled: ({ attempts }) => /^tel:\+?(\d+)$/.exec(attempts.at(-1)?.destination ?? '')?.[1] ?? null,
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
