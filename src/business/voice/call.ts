/**
 * A call as plain data, the only ways it may change state (arrived, routed, ringing, answered, ended), and its stored
 * form. Both directions share this; inbound/call.ts and outbound/call.ts add the fields that differ.
 */
import { randomBytes } from 'node:crypto';
import { readMoment } from './moment.ts';
import type { CallSound } from './sound.ts';

export type CallState = 'arrived' | 'routed' | 'ringing' | 'answered' | 'ended';

/** The allowed transitions. A rerouted call is `routed` again, with another attempt. */
const transitions: Readonly<Record<CallState, readonly CallState[]>> = {
  arrived: ['routed', 'ended'],
  routed: ['routed', 'ringing', 'answered', 'ended'],
  ringing: ['ringing', 'routed', 'answered', 'ended'],
  answered: ['ended'],
  ended: [],
};

/** Which side ended the call or the attempt. */
export type Initiator = 'switch' | 'destination' | 'origination';

export interface Disconnect {
  code: number;
  reason: string;
  initiator: Initiator;
}

/** What carries SIP; `WS` and `WSS` are WebSockets of browsers. */
export type Protocol = 'UDP' | 'TCP' | 'TLS' | 'WS' | 'WSS';

/** Where the INVITE came from. */
export interface Source {
  readonly address: string;
  readonly port: number;
  readonly protocol: Protocol;
}

/** The carrier that a call came from or went to, with its name at that time. */
export interface Carrier {
  readonly id: string;
  readonly name: string;
}

/** What the signature of a call says (STIR/SHAKEN): the attestation, or `div` for a call that was forwarded. */
export interface SignedCall {
  readonly as: 'A' | 'B' | 'C' | 'div';
  /** Which account or carrier it comes from; a forwarded call keeps what it came with. */
  readonly origid: string | null;
}

/** One try to reach the called party: at a trunk (inbound) or through a carrier (outbound). */
export interface CallAttempt {
  /** SIP Call-ID of the leg of this attempt. */
  readonly callId: string;
  readonly startedAt: Date;
  /** The called side sent media before it answered. */
  readonly earlyMedia?: true;
  /** How it was signed on its way to a carrier; missing or null if it was not. */
  readonly signed?: SignedCall | null;
  readonly endedAt: Date | null;
  readonly disconnect: Disconnect | null;
}

export interface Call<A extends CallAttempt = CallAttempt> {
  readonly id: string;
  readonly direction: 'in' | 'out';
  /** Null if no account owns the called number. */
  readonly accountId: string | null;
  readonly timeStart: Date;
  readonly vatRate: string;
  readonly state: CallState;
  readonly timeConnect: Date | null;
  readonly timeEnd: Date | null;
  /** In order; the last one is the current one. */
  readonly attempts: readonly A[];
  readonly disconnect: Disconnect | null;
  /** How it sounded; missing as long as it goes on, and where nothing was heard of its media. */
  readonly sound?: CallSound | null;
}

/** Initial values of a call that are the same in both directions. */
export const justArrived = {
  state: 'arrived',
  timeConnect: null,
  timeEnd: null,
  attempts: [],
  disconnect: null,
} as const;

/** Initial values of an attempt. */
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

export function ringing<C extends Call>(call: C, earlyMedia = false): C {
  const moving = moved(call, 'ringing');
  return earlyMedia ? { ...moving, attempts: changeLast(call.attempts, { earlyMedia }) } : moving;
}

/** `legCallId`: of the leg that answered, where an attempt had several. */
export function answered<C extends Call>(call: C, at: Date, legCallId?: string): C {
  const attempts = legCallId === undefined ? call.attempts : changeLast(call.attempts, { callId: legCallId });
  return { ...moved(call, 'answered'), attempts, timeConnect: at };
}

/** The current attempt goes to a carrier with this signature, or without one. */
export function withSignature<C extends Call>(call: C, signed: SignedCall | null): C {
  return { ...call, attempts: changeLast(call.attempts, { signed }) };
}

/** The current attempt ended without an answer; the next state is `routed` or `ended`. */
export function attemptEnded<C extends Call>(call: C, disconnect: Disconnect, at: Date): C {
  if (call.state !== 'routed' && call.state !== 'ringing') throw new IllegalTransition(call.state, 'routed');
  return { ...call, attempts: changeLast(call.attempts, { disconnect, endedAt: at }) };
}

export function ended<C extends Call>(call: C, disconnect: Disconnect, at: Date): C {
  // The clock of the process that ends the call may be slightly behind the clock that recorded the answer.
  const timeEnd = call.timeConnect !== null && at < call.timeConnect ? call.timeConnect : at;
  const attempts = changeLast(call.attempts, { disconnect, endedAt: timeEnd });
  return { ...moved(call, 'ended'), timeEnd, disconnect, attempts };
}

/** Seconds since the answer, rounded up; 0 for a call that never connected. */
export function durationOf(call: Pick<Call, 'timeConnect' | 'timeEnd'>): number {
  if (call.timeConnect === null || call.timeEnd === null) return 0;
  return Math.ceil((call.timeEnd.getTime() - call.timeConnect.getTime()) / 1000);
}

function moved<C extends Call>(call: C, to: CallState): C {
  if (!transitions[call.state].includes(to)) throw new IllegalTransition(call.state, to);
  return { ...call, state: to };
}

/** An attempt that has ended stays as it is. */
function changeLast<A extends CallAttempt>(attempts: readonly A[], change: Partial<CallAttempt>): A[] {
  return attempts.map((attempt, index) =>
    index === attempts.length - 1 && attempt.disconnect === null ? { ...attempt, ...change } : attempt,
  );
}

/** The id in all events of a call, in the format of the reference service: `10-10282FC6-5F632C460006A397-AC8C7700`. */
export function newCallId(): string {
  const hex = randomBytes(16).toString('hex').toUpperCase();
  return `10-${hex.slice(0, 8)}-${hex.slice(8, 24)}-${hex.slice(24)}`;
}

/** SIP Call-ID of one leg; every attempt has its own. */
export function newLegId(): string {
  return `${randomBytes(16).toString('hex')}@trunkline`;
}

/** What any process needs to hang up one leg of an answered call (RFC 3261 12). */
export interface StoredDialog {
  callId: string;
  /** From and To of a request sent from here, with their tags. */
  local: string;
  remote: string;
  routes: readonly string[];
  remoteTarget: string;
  /** The number of the last request sent from here when the leg was answered. */
  sequence: number;
  peer: { transport: Protocol; address: string; port: number };
}

/** A call as it is stored in `open_calls.call`, from which any process can end it. */
export function storedCall(call: Call, streams: readonly string[], dialogs: readonly StoredDialog[] = []): object {
  return { ...call, streams, ...(dialogs.length > 0 && { dialogs }) };
}

/** Reads back what `storedCall` wrote for a call of the same direction. */
export function readCall<C extends Call>(
  stored: unknown,
): { call: C; streams: string[]; dialogs: readonly StoredDialog[] } {
  if (typeof stored !== 'object' || stored === null || !('attempts' in stored)) throw new Error('not a stored call');
  // Has the type of the call, except that its times are text.
  const { dialogs = [], ...call } = stored as C & { streams: string[]; dialogs?: StoredDialog[] };
  const times = {
    timeStart: momentOf(call.timeStart),
    timeConnect: call.timeConnect && momentOf(call.timeConnect),
    timeEnd: call.timeEnd && momentOf(call.timeEnd),
    attempts: call.attempts.map((attempt) => ({
      ...attempt,
      startedAt: momentOf(attempt.startedAt),
      endedAt: attempt.endedAt && momentOf(attempt.endedAt),
    })),
  };
  return { streams: call.streams, call: Object.assign(call as C & { streams: string[] }, times), dialogs };
}

const momentOf = (text: unknown): Date => readMoment(String(text));
