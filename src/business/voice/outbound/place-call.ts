/**
 * Places a customer's call: identifies the trunk, decides whether the call is allowed, and takes a channel of the
 * trunk.
 */
import { type Carrier, justArrived, justBegun, newCallId, newLegId, routed, type Source } from '../call.ts';
import { failureText } from '../disconnect-codes.ts';
import { isEmergencyNumber } from '../emergency-numbers.ts';
import { writeRefusedCall } from '../end-call.ts';
import { LiveCall, type NextAttempt } from '../live-call.ts';
import { momentOf } from '../moment.ts';
import { openCall } from '../open-call.ts';
import { phoneUser } from '../phone-credentials.ts';
import type { CallHost } from '../ports.ts';
import type { Rate } from '../rates.ts';
import type { CallTrace } from '../trace/call-trace.ts';
import type { OutboundAttempt, OutboundCall } from './call.ts';
import {
  decide,
  type EmergencyCaller,
  identify,
  type OutboundRefusal,
  type OutboundRequest,
  refused,
  strippedDestination,
} from './decide.ts';
import { outbound } from './direction.ts';
import { noteSituation, refusedOutbound, unidentified } from './explain.ts';
import {
  type AccountOrigin,
  candidateTrunks,
  type OutboundMedia,
  type OutboundSituation,
  situationOf,
  trunkOfPhone,
} from './find-trunks.ts';
import { blockIfUsedUp } from './threshold.ts';

interface OutboundArrival extends OutboundRequest {
  sourcePort: number;
  sourceProtocol: Source['protocol'];
  callId: string;
  pChargeInfo?: string | null;
  diversion?: readonly string[];
  userAgent?: string | null;
  at?: Date;
}

/** A way to the destination through one carrier. The SIP layer adds the settings that it needs to dial. */
export interface CarrierRoute {
  readonly carrier: Carrier;
  /** What the carrier charges the operator; null if it has no rate. */
  readonly cost: Rate | null;
  /** Whether the next route is tried after an attempt that failed with this code. */
  isRerouted(code: number): boolean;
}

/**
 * Returns the routes to a number (without the tech prefix) in the order in which they are tried. For an emergency call
 * `emergencyCountry` is the country of the caller id, and the routes are those for its emergency calls.
 */
type FindRoutes<R extends CarrierRoute> = (
  destination: string,
  emergencyCountry: string | null,
  accountId: string,
) => Promise<readonly R[]>;

/**
 * `live.target` is the route of the current attempt; null in a simulated call, which has one attempt and no carrier.
 * `emergency` has the registered address of an emergency call for its carrier. It is in memory only: never store or log
 * it.
 */
type Placed<R extends CarrierRoute> =
  | { challenge: true }
  | OutboundRefusal
  | {
      live: LiveCall<OutboundCall, R | null>;
      media: OutboundMedia;
      emergency: EmergencyCaller | null;
      /** `ownsCaller` of the number that is shown, which may not be the one that called. */
      origin: AccountOrigin;
    };

export async function placeCall<R extends CarrierRoute>(
  host: CallHost,
  arrival: OutboundArrival,
  findRoutes?: FindRoutes<R>,
): Promise<Placed<R>> {
  const { env } = host;
  const user = arrival.digest === null ? null : phoneUser(arrival.digest.username);
  const ofPhone = arrival.digest && user ? await trunkOfPhone(env, arrival.digest, user) : null;
  const candidates = user === null ? await candidateTrunks(env, arrival) : [];
  const identified = ofPhone === null ? identify(arrival, candidates) : { trunk: ofPhone };
  if ('code' in identified) host.recorder.refused(unidentified(arrival, identified, candidates));
  if (!('trunk' in identified)) return identified;
  const destination = strippedDestination(arrival.to, identified.trunk) ?? '';
  const situation = await situationOf(env, identified.trunk, { from: arrival.from, destination });
  if (situation === null) return refused('not_authorized');
  const { facts, streams, media } = situation;
  const isEmergency = isEmergencyNumber(destination);
  const emergency = facts.emergencyCaller;
  const routes = (await findRoutes?.(destination, emergency?.country ?? null, identified.trunk.accountId)) ?? [null];
  const [target, ...remaining] = routes;
  const arrived = arrivedCall(arrival, situation, arrival.at ?? momentOf(env.clock));
  const trace = host.recorder.begin(outbound.traced(arrived), arrival.callId);
  noteSituation(trace, situation, routes);
  const { id } = facts.trunk;
  const capacityLimit = isEmergency ? null : facts.capacityLimit;
  const { decision: opened, held } = await openCall(host, outbound, streams, {
    counted: { did: null, capacityGroup: null, trunkGroup: null, trunks: capacityLimit === null ? [] : [id] },
    decide: (inUse, noMoney) => {
      if (noMoney !== null) return refused(noMoney);
      const decision = decide(arrival, { ...facts, inUse: inUse.by_trunk[id] ?? 0 });
      if ('code' in decision) return decision;
      if (target === undefined) return refused(isEmergency ? 'no_emergency_carrier' : 'no_carrier');
      const call = { ...arrived, srcNumber: decision.srcNumber };
      const within = { number: null, channel: null, trunkGroup: null, trunk: capacityLimit };
      return { call: routed(call, attemptThrough(target, call.timeStart)), within, target };
    },
  });
  if ('code' in opened) {
    trace.note(`refused with ${opened.code}: ${opened.text}`);
    const refusedCall = await writeRefusedCall(host, outbound, arrived, opened, streams);
    trace.refused(outbound.traced(refusedCall), opened.reason);
    host.recorder.refused(refusedOutbound(arrival, opened, { accountId: arrived.accountId, about: arrived.trunkId }));
    if (opened.reason === 'threshold_reached' && !facts.thresholdReached) await blockIfUsedUp(env, id);
    return opened;
  }
  const { srcNumber } = opened.call;
  trace.note(`caller id ${srcNumber}${srcNumber === arrived.srcNumber ? '' : ` instead of ${arrived.srcNumber}`}`);
  const next = nextRoute(remaining, trace);
  const live = new LiveCall(host, outbound, { ...opened, streams, held, next, trace });
  // A number that replaces another one is taken from those of the account.
  const ownsCaller = situation.origin.ownsCaller || srcNumber !== arrived.srcNumber;
  return { live, media, emergency, origin: { ...situation.origin, ownsCaller } };
}

const attemptThrough = (route: CarrierRoute | null, at: Date): OutboundAttempt => ({
  callId: newLegId(),
  carrier: route?.carrier ?? null,
  cost: route?.cost ?? null,
  startedAt: at,
  ...justBegun,
});

/** After a failed attempt returns the next route, if the failed one allows it for this code. */
function nextRoute<R extends CarrierRoute>(
  routes: readonly (R | null)[],
  trace: CallTrace,
): NextAttempt<OutboundCall, R | null> {
  const remaining = [...routes];
  return async (_call, current, failure, at) => {
    const goesOn = current?.isRerouted(failure.code) ?? false;
    const target = goesOn ? remaining.shift() : undefined;
    trace.note(`"${current?.carrier.name ?? 'no carrier'}" ${failureText(failure)}: ${outcomeOf(goesOn, target)}`, {
      internal: true,
    });
    return target ? { attempt: attemptThrough(target, at), target } : null;
  };
}

function outcomeOf(goesOn: boolean, target: CarrierRoute | null | undefined): string {
  if (!goesOn) return 'the answer of the called party';
  return target ? `"${target.carrier.name}" is next` : 'no carrier is left to try';
}

function arrivedCall(arrival: OutboundArrival, { facts, rate, vatRate }: OutboundSituation, at: Date): OutboundCall {
  const { trunk } = facts;
  const destination = strippedDestination(arrival.to, trunk) ?? '';
  return {
    ...justArrived,
    id: newCallId(),
    direction: 'out',
    accountId: trunk.accountId,
    trunkId: trunk.id,
    trunkName: trunk.name,
    source: { address: arrival.sourceIp, port: arrival.sourcePort, protocol: arrival.sourceProtocol },
    callId: arrival.callId,
    originalSrcNumber: arrival.from,
    srcNumber: arrival.from.replace(/^\+/, ''),
    dstNumber: arrival.to,
    destination,
    ...(isEmergencyNumber(destination) && { emergency: true }),
    rate,
    country: rate?.country ?? facts.emergencyCaller?.countryName ?? null,
    network: rate?.network ?? null,
    vatRate,
    pChargeInfo: arrival.pChargeInfo ?? null,
    diversion: arrival.diversion ?? [],
    userAgent: arrival.userAgent ?? null,
    timeStart: at,
  };
}
