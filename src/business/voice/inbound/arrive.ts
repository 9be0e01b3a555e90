/** Handles the arrival of an inbound call: routes and opens it, or refuses it with a reason. */

import type { Environment } from '../../../engines/environment.ts';
import { type Carrier, justArrived, newCallId, type Source } from '../call.ts';
import { writeRefusedCall } from '../end-call.ts';
import { LiveCall } from '../live-call.ts';
import { momentOf } from '../moment.ts';
import { type FoundName, namesOf, type WithNames } from '../names/names-of.ts';
import { openCall } from '../open-call.ts';
import type { CallHost } from '../ports.ts';
import type { RefusedCall } from '../trace/entries.ts';
import type { InboundCall } from './call.ts';
import { inbound } from './direction.ts';
import { type InboundRefusal, refusal, refuseNumber } from './refusals.ts';
import { findRoute, type Route, type RouteTrunk } from './route.ts';
import { countedFor, type LookUp, type Note, nextTrunk, takeChannel } from './take-channel.ts';
import { orderTrunks } from './trunk-order.ts';

export interface Arrival {
  didNumber: string;
  srcNumber: string;
  srcName?: string | null;
  /** Missing for a simulated call. */
  source?: Source;
  carrier?: Carrier;
  /** SIP Call-ID of the caller's leg. */
  callId?: string;
  /** How the caller's equipment names itself. */
  userAgent?: string | null;
  /** When the INVITE arrived; default: now. */
  at?: Date;
  note?: Note;
}

/** `live.target` is the trunk of the current attempt, with its configuration. */
type Arrived =
  | { refusal: InboundRefusal; call: InboundCall }
  | { refusal: null; live: LiveCall<InboundCall, RouteTrunk> };

export async function arrive(host: CallHost, arrival: Arrival): Promise<Arrived> {
  const { env } = host;
  const at = arrival.at ?? momentOf(env.clock);
  const found = await findRoute(env.pool, arrival.didNumber, arrival.srcNumber);
  const route = typeof found === 'string' ? null : found;
  const call = arrivedCall(arrival, at, route);
  const streams = route?.streams ?? [];
  const trace = host.recorder.begin(inbound.traced(call), arrival.callId ?? null);
  const note: Note = (text) => {
    trace.note(text);
    arrival.note?.(text);
  };
  const refuse = async (refused: InboundRefusal) => {
    note(`refused with ${refused.code}: ${refused.text}`);
    const refusedCall = await writeRefusedCall(host, inbound, call, refused, streams);
    trace.refused(inbound.traced(refusedCall), refused.reason);
    host.recorder.refused(refusedArrival(arrival, call, refused));
    return { refusal: refused, call: refusedCall };
  };
  if (typeof found === 'string') return refuse(refusal(found));
  const refused = refuseNumber(found, at);
  if (refused !== null) return refuse(refused);
  note(found.trunkGroup ? `routed to the group "${found.trunkGroup.name}"` : 'routed to a single trunk');
  const order = orderTrunks(found.trunks);
  for (const trunk of order) note(`  priority ${trunk.priority}, weight ${trunk.weight}: "${trunk.name}"`);
  const lookUp = nameLookUp(env, found.caller, note);
  let callerName = await lookUp(firstChoices(order));
  let choice: string[] = [];
  const { decision: taken, held } = await openCall(host, inbound, streams, {
    counted: countedFor(found, order),
    decide: (inUse, noMoney) => {
      // A call that could be paid but for the caller's name goes on without.
      if (noMoney !== null && callerName === null) return refusal(noMoney);
      if (noMoney !== null) callerName = null;
      // Only the notes of the last decision count.
      choice = [];
      return takeChannel(call, found, order, inUse, (text) => choice.push(text), callerName);
    },
  });
  for (const text of choice) note(text);
  if ('code' in taken) return refuse(taken);
  const next = nextTrunk(env, taken.remaining, note, lookUp);
  const live = new LiveCall(host, inbound, { call: taken.call, target: taken.trunk, streams, held, next, trace });
  // All trunks may use a protocol that is not supported.
  if ((await live.begin(at)) === 'ended') {
    const refused = refusal('protocol_not_supported');
    trace.refused(inbound.traced(live.call), refused.reason);
    host.recorder.refused(refusedArrival(arrival, call, refused));
    return { refusal: refused, call: live.call };
  }
  return { refusal: null, live };
}

/** Asks once a call, when a trunk that wants the name is tried. */
function nameLookUp(env: Environment & WithNames, caller: string | null, note: Note): LookUp {
  let asked: Promise<FoundName | null> | null = null;
  return async (trunks) => {
    if (caller === null || !trunks.some(({ nameLookupRate }) => nameLookupRate !== null)) return null;
    const isFirst = asked === null;
    asked ??= namesOf(env)(caller);
    const found = await asked;
    if (isFirst)
      note(found === null ? 'no name of the caller is known' : `the caller's name comes from the ${found.from}`);
    return found?.name ?? null;
  };
}

/** The trunks that may get the first attempt: those with a limit may be full. */
function firstChoices(order: readonly RouteTrunk[]): readonly RouteTrunk[] {
  const certain = order.findIndex(({ capacityLimit }) => capacityLimit === null);
  return certain === -1 ? order : order.slice(0, certain + 1);
}

const refusedArrival = (
  { callId, source, carrier }: Arrival,
  { accountId, didNumber, srcNumber }: InboundCall,
  { reason, code, text }: InboundRefusal,
): RefusedCall => ({
  direction: 'in',
  rule: reason,
  code,
  text,
  sourceAddress: source?.address ?? null,
  accountId,
  about: accountId === null ? null : didNumber,
  srcNumber,
  dstNumber: didNumber,
  carrierName: carrier?.name ?? null,
  callId: callId ?? null,
});

export function arrivedCall(arrival: Arrival, at: Date, route: Route | null): InboundCall {
  return {
    ...justArrived,
    id: newCallId(),
    direction: 'in',
    accountId: route?.accountId ?? null,
    source: arrival.source ?? null,
    carrier: arrival.carrier ?? null,
    didId: route?.didId ?? null,
    didNumber: arrival.didNumber,
    country: route?.country ?? null,
    srcNumber: arrival.srcNumber,
    srcName: arrival.srcName ?? null,
    callerCallId: arrival.callId ?? null,
    userAgent: arrival.userAgent ?? null,
    timeStart: at,
    channel: null,
    sharedCapacityGroupId: route?.capacityGroup?.id ?? null,
    capacityGroupName: null,
    trunkGroupId: route?.trunkGroup?.id ?? null,
    trunkGroupName: route?.trunkGroup?.name ?? null,
    meteredRate: route?.meteredRate ?? null,
    tollFreeRate: route?.tollFreeRate ?? null,
    vatRate: route?.vatRate ?? '0',
  };
}
