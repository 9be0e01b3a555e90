/**
 * A call as plain data, and the only ways it may change: arrived, routed, ringing, answered, ended. Both directions
 * share this life; what else is known of a call is in inbound/call.ts and outbound/call.ts.
 */

export type CallState = 'arrived' | 'routed' | 'ringing' | 'answered' | 'ended';

/** Where each state may lead. A rerouted call is `routed` again, with another attempt. */
const transitions: Readonly<Record<CallState, readonly CallState[]>> = {
  arrived: ['routed', 'ended'],
  routed: ['routed', 'ringing', 'answered', 'ended'],
  ringing: ['routed', 'answered', 'ended'],
  answered: ['ended'],
  ended: [],
};

/** Who ended it. */
export type Initiator = 'switch' | 'destination' | 'origination';

export interface Disconnect {
  code: number;
  reason: string;
  initiator: Initiator;
}

/** Where the INVITE came from. */
export interface Source {
  readonly address: string;
  readonly port: number;
  readonly protocol: 'UDP' | 'TCP' | 'TLS';
}

/** The carrier that a call came from or went to, by the name it had then. */
export interface Carrier {
  readonly id: string;
  readonly name: string;
}

/** One try to reach the called party: at a trunk (inbound) or through a carrier (outbound). */
export interface CallAttempt {
  /** SIP Call-ID of the leg of this attempt. */
  readonly callId: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly disconnect: Disconnect | null;
}

export interface Call<A extends CallAttempt = CallAttempt> {
  readonly id: string;
  readonly direction: 'in' | 'out';
  /** Null for a call to a number that nobody owns. */
  readonly accountId: string | null;
  readonly timeStart: Date;
  readonly vatRate: string;
  readonly state: CallState;
  readonly timeConnect: Date | null;
  readonly timeEnd: Date | null;
  /** In order; the last one is the current one. */
  readonly attempts: readonly A[];
  readonly disconnect: Disconnect | null;
}

/** The part of a call that has just arrived and is the same in both directions. */
export const justArrived = {
  state: 'arrived',
  timeConnect: null,
  timeEnd: null,
  attempts: [],
  disconnect: null,
} as const;

/** The part of an attempt that has just begun. */
export const justBegun = { endedAt: null, disconnect: null } as const;

export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition';

  constructor(from: CallState, to: CallState) {
    super(`a call that is ${from} cannot become ${to}`);
  }
}

export function routed<C extends Call>(call: C, attempt: C['attempts'][number]): C {
  return { ...moved(call, 'routed'), attempts: [...call.attempts, attempt] };
}

export const ringing = <C extends Call>(call: C): C => moved(call, 'ringing');

export function answered<C extends Call>(call: C, at: Date): C {
  return { ...moved(call, 'answered'), timeConnect: at };
}

/** The current attempt ended without an answer; the call goes on to `routed` or `ended`. */
export function attemptEnded<C extends Call>(call: C, disconnect: Disconnect, at: Date): C {
  if (call.state !== 'routed' && call.state !== 'ringing') throw new IllegalTransition(call.state, 'routed');
  return { ...call, attempts: closeLast(call.attempts, disconnect, at) };
}

export function ended<C extends Call>(call: C, disconnect: Disconnect, at: Date): C {
  // A worker's clock may be a moment behind the one that wrote the answer.
  const timeEnd = call.timeConnect !== null && at < call.timeConnect ? call.timeConnect : at;
  return { ...moved(call, 'ended'), timeEnd, disconnect, attempts: closeLast(call.attempts, disconnect, timeEnd) };
}

/** Whole seconds since the answer, a begun one counted; 0 for a call that never connected. */
export function durationOf(call: Pick<Call, 'timeConnect' | 'timeEnd'>): number {
  if (call.timeConnect === null || call.timeEnd === null) return 0;
  return Math.ceil((call.timeEnd.getTime() - call.timeConnect.getTime()) / 1000);
}

function moved<C extends Call>(call: C, to: CallState): C {
  if (!transitions[call.state].includes(to)) throw new IllegalTransition(call.state, to);
  return { ...call, state: to };
}

function closeLast<A extends CallAttempt>(attempts: readonly A[], disconnect: Disconnect, at: Date): A[] {
  return attempts.map((attempt, index) =>
    index === attempts.length - 1 && attempt.disconnect === null ? { ...attempt, disconnect, endedAt: at } : attempt,
  );
}
