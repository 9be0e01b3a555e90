/**
 * One inbound call as plain data, and the only ways it may change: arrived, routed, ringing, answered, ended. Who drives
 * it (a SIP leg, the simulator) and who keeps it (calls.ts) is not known here.
 */
import type { Rate } from './billing.ts';
import type { ChannelKind } from './inbound/capacity.ts';

export type CallState = 'arrived' | 'routed' | 'ringing' | 'answered' | 'ended';

/** Where each state may lead. A rerouted call is `routed` again, to another trunk. */
const transitions: Readonly<Record<CallState, readonly CallState[]>> = {
  arrived: ['routed', 'ended'],
  routed: ['routed', 'ringing', 'answered', 'ended'],
  ringing: ['routed', 'answered', 'ended'],
  answered: ['ended'],
  ended: [],
};

/** Who put an end to it. The numbers are those of the CDR stream. */
export type Initiator = 'switch' | 'destination' | 'origination';

export interface Disconnect {
  code: number;
  reason: string;
  initiator: Initiator;
}

/** One try at one trunk. */
export interface Attempt {
  trunkId: string;
  trunkName: string;
  /** As dialled: a sip: or tel: URI. */
  destination: string;
  /** The caller as this trunk wants to see it. */
  callerId: string;
  /** SIP Call-ID of the leg to the customer's equipment. */
  callId: string;
  transportProtocolId: number | null;
  popId: string | null;
  /** PSTN forwarding is paid per minute. */
  forwardingRate: Rate | null;
  /** What the lookup of the caller's name cost, where this attempt was the first to need it. */
  nameLookupRate: Rate | null;
  ringingTimeoutSeconds: number;
  reroutingIds: readonly number[] | null;
  startedAt: Date;
  endedAt: Date | null;
  disconnect: Disconnect | null;
}

export interface InboundCall {
  readonly id: string;
  readonly accountId: string | null;
  readonly didId: string | null;
  readonly didNumber: string;
  /** Of the number: ISO 3166-1. */
  readonly country: string | null;
  readonly srcNumber: string;
  readonly srcName: string | null;
  readonly timeStart: Date;
  readonly channel: ChannelKind | null;
  readonly sharedCapacityGroupId: string | null;
  readonly capacityGroupName: string | null;
  readonly trunkGroupId: string | null;
  readonly trunkGroupName: string | null;
  /** Paid per minute when the channel is a metered one. */
  readonly meteredRate: Rate | null;
  /** Paid per minute on numbers whose group is metered (toll-free). */
  readonly tollFreeRate: Rate | null;
  readonly vatRate: string;
  readonly state: CallState;
  readonly timeConnect: Date | null;
  readonly timeEnd: Date | null;
  /** In order; the last is the one under way. */
  readonly attempts: readonly Attempt[];
  readonly disconnect: Disconnect | null;
}

export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition';

  constructor(from: CallState, to: CallState) {
    super(`a call that is ${from} cannot become ${to}`);
  }
}

export function routed(call: InboundCall, attempt: Attempt): InboundCall {
  return { ...moved(call, 'routed'), attempts: [...call.attempts, attempt] };
}

export const ringing = (call: InboundCall): InboundCall => moved(call, 'ringing');

export function answered(call: InboundCall, at: Date): InboundCall {
  return { ...moved(call, 'answered'), timeConnect: at };
}

/** The attempt under way ended without an answer; what follows is `routed` or `ended`. */
export function attemptEnded(call: InboundCall, disconnect: Disconnect, at: Date): InboundCall {
  if (call.state !== 'routed' && call.state !== 'ringing') throw new IllegalTransition(call.state, 'routed');
  return { ...call, attempts: closeLast(call.attempts, disconnect, at) };
}

export function ended(call: InboundCall, disconnect: Disconnect, at: Date): InboundCall {
  // A worker's clock may be a moment behind the one that wrote the answer.
  const timeEnd = call.timeConnect !== null && at < call.timeConnect ? call.timeConnect : at;
  return { ...moved(call, 'ended'), timeEnd, disconnect, attempts: closeLast(call.attempts, disconnect, timeEnd) };
}

/** Whole seconds since the answer, a begun one counted; 0 for a call that never connected. */
export function durationOf(call: Pick<InboundCall, 'timeConnect' | 'timeEnd'>): number {
  if (call.timeConnect === null || call.timeEnd === null) return 0;
  return Math.ceil((call.timeEnd.getTime() - call.timeConnect.getTime()) / 1000);
}

function moved(call: InboundCall, to: CallState): InboundCall {
  if (!transitions[call.state].includes(to)) throw new IllegalTransition(call.state, to);
  return { ...call, state: to };
}

function closeLast(attempts: readonly Attempt[], disconnect: Disconnect, at: Date): Attempt[] {
  return attempts.map((attempt, index) =>
    index === attempts.length - 1 && attempt.disconnect === null ? { ...attempt, disconnect, endedAt: at } : attempt,
  );
}
