/**
 * Places a customer's call: identifies the trunk, decides whether the call is allowed, and takes a channel of the
 * trunk.
 */
import type { PoolClient } from 'pg';
import { ended, justArrived, justBegun, newCallId, newLegId, routed, type Source } from '../call.ts';
import { countOnTrunk } from '../channels.ts';
import { writeRefusedCall } from '../end-call.ts';
import type { Random } from '../inbound/trunk-order.ts';
import { LiveCall } from '../live-call.ts';
import { momentOf } from '../moment.ts';
import { openCall, wake } from '../open-call.ts';
import type { CallHost } from '../ports.ts';
import type { OutboundCall } from './call.ts';
import {
  decide,
  identify,
  type OutboundRefusalReason,
  type OutboundRequest,
  outboundReasons,
  strippedDestination,
} from './decide.ts';
import { outbound } from './direction.ts';
import { candidateTrunks, type OutboundSituation, situationOf } from './find-trunks.ts';

export interface OutboundArrival extends OutboundRequest {
  sourcePort: number;
  sourceProtocol: Source['protocol'];
  callId: string;
  pop?: string | null;
  pChargeInfo?: string | null;
  diversion?: readonly string[];
  userAgent?: string | null;
  at?: Date;
  random?: Random;
}

interface OutboundRefusal {
  code: number;
  reason: OutboundRefusalReason;
}

export type Placed = { challenge: true } | OutboundRefusal | { live: LiveCall<OutboundCall> };

export async function placeCall(host: CallHost, arrival: OutboundArrival): Promise<Placed> {
  const { env } = host;
  const identified = identify(arrival, await candidateTrunks(env, arrival));
  if (!('trunk' in identified)) return identified;
  const situation = await situationOf(env, identified.trunk, strippedDestination(arrival.to, identified.trunk) ?? '');
  if (situation === null) return { code: 403, reason: 'not_authorized' };
  const arrived = arrivedCall(arrival, situation, arrival.at ?? momentOf(env.clock));
  const { streams } = situation;
  const opened = await openCall(host, outbound, streams, (client) =>
    decideUnderLock(client, arrival, situation, arrived),
  );
  if ('code' in opened) return refuse(host, arrived, opened, streams);
  // Without SIP there are no carriers to choose from: a call has one attempt.
  const next = () => Promise.resolve(null);
  return { live: new LiveCall(host, outbound, { call: opened.call, streams, next }) };
}

async function decideUnderLock(
  client: PoolClient,
  arrival: OutboundArrival,
  { facts }: OutboundSituation,
  arrived: OutboundCall,
): Promise<{ call: OutboundCall } | OutboundRefusal> {
  const inUse = await countOnTrunk(client, { id: facts.trunk.id, capacityLimit: facts.capacityLimit });
  const decision = decide(arrival, { ...facts, inUse }, arrival.random);
  if ('code' in decision) return decision;
  const attempt = { callId: newLegId(), carrier: null, startedAt: arrived.timeStart, ...justBegun };
  return { call: routed({ ...arrived, srcNumber: decision.srcNumber }, attempt) };
}

async function refuse(
  host: CallHost,
  arrived: OutboundCall,
  refused: OutboundRefusal,
  streams: readonly string[],
): Promise<OutboundRefusal> {
  const disconnect = { code: refused.code, reason: outboundReasons[refused.reason], initiator: 'switch' } as const;
  const endedCall = ended(arrived, disconnect, arrived.timeStart);
  await writeRefusedCall(host.env, outbound, endedCall, streams);
  wake(host, endedCall, streams);
  return refused;
}

function arrivedCall(arrival: OutboundArrival, { facts, rate, vatRate }: OutboundSituation, at: Date): OutboundCall {
  const { trunk } = facts;
  return {
    ...justArrived,
    id: newCallId(),
    direction: 'out',
    accountId: trunk.accountId,
    trunkId: trunk.id,
    trunkName: trunk.name,
    source: { address: arrival.sourceIp, port: arrival.sourcePort, protocol: arrival.sourceProtocol },
    callId: arrival.callId,
    pop: arrival.pop ?? null,
    originalSrcNumber: arrival.from,
    srcNumber: arrival.from.replace(/^\+/, ''),
    dstNumber: arrival.to,
    rate,
    country: rate?.country ?? null,
    network: rate?.network ?? null,
    vatRate,
    pChargeInfo: arrival.pChargeInfo ?? null,
    diversion: arrival.diversion ?? [],
    userAgent: arrival.userAgent ?? null,
    timeStart: at,
  };
}
