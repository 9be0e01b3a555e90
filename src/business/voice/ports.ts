/**
 * The interfaces of the shared call code: what differs between inbound and outbound calls, the process that carries
 * calls, and the legs of a call.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { StreamName } from '../../engines/db/tables/calls.ts';
import type { Environment } from '../../engines/environment.ts';
import { type Call, type Disconnect, durationOf } from './call.ts';
import { timestamp, timestampOrNull } from './moment.ts';
import type { WithNames } from './names/names-of.ts';
import type { Charge } from './rates.ts';
import type { Tariff } from './tariff.ts';
import type { TracedCall } from './trace/entries.ts';
import type { CallRecorder } from './trace/recorder.ts';

/** The body of one event or of one CDR in a stream. */
interface CallEvent {
  type: string;
  id: string;
  attributes: Record<string, unknown>;
}

type EventKind = 'start' | 'connect' | 'end';

/** The times that each kind of event shows, in both directions. */
export const eventTimes = (kind: EventKind, call: Call) => ({
  time_start: timestamp(call.timeStart),
  ...(kind === 'start' ? {} : { time_connect: timestampOrNull(call.timeConnect) }),
  ...(kind === 'end' ? { time_end: timestampOrNull(call.timeEnd), duration: durationOf(call) } : {}),
});

/** What a trace shows of a call in both directions. */
export const tracedParts = (call: Call & { readonly srcNumber: string; readonly userAgent: string | null }) => ({
  id: call.id,
  direction: call.direction,
  accountId: call.accountId,
  srcNumber: call.srcNumber,
  userAgent: call.userAgent,
  state: call.state,
  disconnect: call.disconnect,
  startedAt: call.timeStart,
  answeredAt: call.timeConnect,
  endedAt: call.timeEnd,
});

/** What a call counts against while it is active: the columns of `open_calls`. */
interface Holding {
  trunkId: string;
  trunkGroupId: string | null;
  didId: string | null;
  channel: string | null;
  sharedCapacityGroupId: string | null;
}

/** A row of the direction's CDR table, and the same CDR as its stream shows it: made only if somebody wants it. */
export interface Cdr {
  row: { id: string; time_start: Date };
  stream(): CallEvent;
}

/** One ledger movement of an ended call; `occasion` distinguishes several movements of one call. */
export interface CallCharge {
  cause: 'metered_minutes' | 'call_charge';
  occasion?: string;
  charge: Charge;
}

/** What is written when a call ends. A refused call has CDRs and no charge. */
export interface Settlement {
  cdrs: readonly Cdr[];
  charges: readonly CallCharge[];
}

export interface Direction<C extends Call> {
  readonly name: C['direction'];
  readonly cdrTable: 'cdrs_in' | 'cdrs_out';
  readonly eventStream: StreamName;
  readonly cdrStream: StreamName;
  holding(call: C): Holding;
  /** Returns the code with which the current attempt fails before anything is sent, or null if it can be sent. */
  cannotBegin?(call: C): number | null;
  event(kind: EventKind, call: C): CallEvent;
  settle(call: C): Settlement;
  /** What the call costs while its current attempt is the one that is answered. */
  tariff(call: C): Tariff;
  /** The number outside that is dialled at the customer's cost, without `+`; null if there is none. */
  dialled(call: C): string | null;
  /**
   * The call without what its current attempt can do without, if it cannot pay for that; null if there is no such
   * thing.
   */
  cheaper?(call: C): C | null;
  /** By what its trace is found and shown. */
  traced(call: C): TracedCall;
  /** Called in the transaction that charges an ended call, before the charge. */
  beforeCharge?(trx: Kysely<Schema>, env: Environment, call: C): Promise<void>;
}

/** The legs of one call: SIP implements it (`b2bua/bridge.ts`); a simulated call has none. */
export interface Legs {
  /**
   * Ends the legs: the call was ended elsewhere (hang-up through another process, deleted trunk, reaper). Must not
   * throw.
   */
  hangUp(disconnect: Disconnect): void;
  /** The end of the call that could not be written yet; null while it goes on. */
  ending?(): CallEnd | null;
}

/** How and when a call ended. */
export interface CallEnd {
  disconnect: Disconnect;
  at: Date;
}

/** The process that carries calls, in one environment. */
export interface CallHost {
  readonly env: Environment & WithNames;
  readonly workerId: string;
  /** Records what happens in calls, for people who look for a fault. */
  readonly recorder: CallRecorder;
  /** Called when events of a call have been committed, with the stream of its direction's events. */
  onEvents(accountId: string, stream: StreamName): void;
  /** Registers the legs to be hung up if the call is ended elsewhere. Returns a function that unregisters them. */
  carry(callId: string, legs: Legs): () => void;
}
