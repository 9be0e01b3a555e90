/** Handles the arrival of an inbound call: routes and opens it, or refuses it with a reason. */
import { type Carrier, ended, justArrived, newCallId, type Source } from '../call.ts';
import { writeRefusedCall } from '../end-call.ts';
import { LiveCall } from '../live-call.ts';
import { momentOf } from '../moment.ts';
import { openCall, wake } from '../open-call.ts';
import type { CallHost } from '../ports.ts';
import type { InboundCall } from './call.ts';
import { inbound } from './direction.ts';
import { type Refusal, refusal, refusalText, refuseNumber } from './refusals.ts';
import { findRoute, type Route } from './route.ts';
import { type Note, nextTrunk, takeChannel } from './take-channel.ts';
import { orderTrunks, type Random } from './trunk-order.ts';

export interface Arrival {
  didNumber: string;
  srcNumber: string;
  srcName?: string | null;
  /** Missing for a simulated call. */
  source?: Source;
  carrier?: Carrier;
  /** When the INVITE arrived; default: now. */
  at?: Date;
  note?: Note;
  random?: Random;
}

export type Arrived = { refusal: Refusal; call: InboundCall } | { refusal: null; live: LiveCall<InboundCall> };

export async function arrive(host: CallHost, arrival: Arrival): Promise<Arrived> {
  const { env } = host;
  const at = arrival.at ?? momentOf(env.clock);
  const note = arrival.note ?? (() => undefined);
  const { facts, route } = await findRoute(env.pool, arrival.didNumber, arrival.srcNumber);
  const call = arrivedCall(arrival, at, route);
  const refused = refuseNumber(facts, at);
  if (refused !== null || route === null) {
    return refuse(host, call, refused ?? refusal('unknown_number'), route, note);
  }
  note(route.trunkGroup ? `routed to the group "${route.trunkGroup.name}"` : 'routed to a single trunk');
  const order = orderTrunks(route.trunks, arrival.random);
  for (const trunk of order) note(`  priority ${trunk.priority}, weight ${trunk.weight}: "${trunk.name}"`);
  const { streams } = route;
  const taken = await openCall(host, inbound, streams, (client) => takeChannel(client, call, route, order, note));
  if ('code' in taken) return refuse(host, call, taken, route, note);
  const next = nextTrunk(env, taken.remaining, note);
  const live = new LiveCall(host, inbound, { call: taken.call, streams, next });
  // All trunks may use a protocol that is not supported.
  if ((await live.begin(at)) === 'ended') return { refusal: refusal('protocol_not_supported'), call: live.call };
  return { refusal: null, live };
}

async function refuse(
  host: CallHost,
  call: InboundCall,
  refused: Refusal,
  route: Route | null,
  note: Note,
): Promise<Arrived> {
  const reason = refusalText(refused.reason);
  note(`refused with ${refused.code}: ${reason}`);
  const endedCall = ended(call, { code: refused.code, reason, initiator: 'switch' }, call.timeStart);
  const streams = route?.streams ?? [];
  await writeRefusedCall(host.env, inbound, endedCall, streams);
  wake(host, endedCall, streams);
  return { refusal: refused, call: endedCall };
}

function arrivedCall(arrival: Arrival, at: Date, route: Route | null): InboundCall {
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
