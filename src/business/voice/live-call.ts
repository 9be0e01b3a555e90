/**
 * An active call of this process. Its driver (SIP, the simulator) reports what happened to the legs, and each method
 * returns what to do next. Reports are worked on one after another; a change is committed when its promise resolves.
 */
import type { CallQuality } from '../../engines/media/media-engine.ts';
import type { Amount } from '../money/decimal.ts';
import {
  answered,
  attemptEnded,
  type Call,
  type Disconnect,
  ringing,
  routed,
  type StoredDialog,
  storedCall,
} from './call.ts';
import { phraseOf } from './disconnect-codes.ts';
import { endCall } from './end-call.ts';
import { writeLateSound } from './late-sound.ts';
import { ensureMonths } from './months.ts';
import { wake } from './open-call.ts';
import type { CallEnd, CallHost, Direction, Legs } from './ports.ts';
import { cutFor, extend, extensionWish, rerouteWish, type Wish } from './reservation.ts';
import { withSound } from './sound.ts';
import { longestCallSeconds, secondsFor } from './tariff.ts';
import type { CallTrace } from './trace/call-trace.ts';
import { untilWritten } from './until-written.ts';
import { writeAnswer } from './write-answer.ts';

/** An attempt, and how to make it: the settings of its trunk or carrier. */
interface Dial<C extends Call, T> {
  attempt: C['attempts'][number];
  target: T;
}

/** Chooses the next attempt after `current` failed with `code`, and takes its channel; null if there is none. */
export type NextAttempt<C extends Call, T> = (
  call: C,
  current: T,
  failure: Disconnect,
  at: Date,
) => Promise<Dial<C, T> | null>;

interface OpenedCall<C extends Call, T> {
  call: C;
  target: T;
  streams: readonly string[];
  /** The money that the call holds; 0 for a free one. */
  held: Amount;
  next: NextAttempt<C, T>;
  trace: CallTrace;
}

/** The leg that was answered. */
export interface AnsweredLeg {
  /** Its SIP Call-ID: of several legs of an attempt one is answered. */
  callId: string;
  /** Of both sides of the call: stored so that another process can hang up the legs if this one is killed. */
  dialogs: readonly StoredDialog[];
}

/** How an attempt failed. By default the destination sent the code with its usual phrase. */
export type Failure = Pick<Disconnect, 'code'> & Partial<Disconnect>;

export class LiveCall<C extends Call, T> {
  readonly #host: CallHost;
  readonly #direction: Direction<C>;
  readonly #streams: readonly string[];
  readonly #next: NextAttempt<C, T>;
  readonly #letGo: () => void;
  readonly #trace: CallTrace;
  #call: C;
  #held: Amount;
  #target: T;
  #legs: Legs | null = null;
  #endedElsewhere: Disconnect | null = null;
  /** The driver has ended the call, or its last attempt has failed. */
  #isEnding = false;
  /** An end that is being written, and may have to wait for the database. */
  #unwritten: CallEnd | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: CallHost, direction: Direction<C>, { call, target, streams, held, next, trace }: OpenedCall<C, T>) {
    this.#host = host;
    this.#direction = direction;
    this.#call = call;
    this.#held = held;
    this.#target = target;
    this.#streams = streams;
    this.#next = next;
    this.#trace = trace;
    this.#traceState();
    this.#letGo = host.carry(call.id, {
      hangUp: (disconnect) => this.#hangUp(disconnect),
      ending: () => this.#unwritten,
    });
  }

  get call(): C {
    return this.#call;
  }

  /** How to make the current attempt. It may contain passwords, so it is kept in memory only. */
  get target(): T {
    return this.#target;
  }

  /** The seconds from its answer that the call has paid for; null for a free one, and for one that has paid for all. */
  get paidSeconds(): number | null {
    if (this.#held === 0n) return null;
    const seconds = secondsFor(this.#direction.tariff(this.#call), this.#held);
    return seconds < longestCallSeconds ? seconds : null;
  }

  /**
   * Asks for money for more time. Returns null if there is some, otherwise how the call is to be cut at the end of what
   * it has paid.
   */
  async extend(): Promise<Disconnect | null> {
    const { env } = this.#host;
    return this.#hold(extensionWish(env, this.#direction.tariff(this.#call), this.#held));
  }

  /** Registers the driver's legs. They are hung up once, at once if the call was ended elsewhere before this. */
  carriedBy(legs: Legs): void {
    this.#legs = legs;
    if (this.#endedElsewhere !== null) legs.hangUp(this.#endedElsewhere);
  }

  /** What is found out about the call before it is dialled. Written with the next change. */
  learned(details: Partial<C>, note: string): void {
    if (this.#isOver) return;
    this.#call = { ...this.#call, ...details };
    this.#trace.note(note);
  }

  /** What happened to the media, in words, for the trace. */
  readonly note: CallTrace['note'] = (text, options) => this.#trace.note(text, options);

  /**
   * A provisional response of the current attempt; may be reported any number of times. Written with the next change.
   */
  ringing({ earlyMedia = false } = {}): void {
    if (this.#isOver) return;
    const isFirst = this.#call.state !== 'ringing';
    this.#call = ringing(this.#call, earlyMedia);
    if (isFirst) this.#traceState();
  }

  /**
   * Returns false if the call has ended or is ending: the driver must hang up the leg. A simulated call has no leg.
   */
  answered(answeredAt: Date, leg: AnsweredLeg | null = null): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#hasEnded) return false;
      const call = answered(this.#call, answeredAt, leg?.callId);
      const { env } = this.#host;
      const { eventStream } = this.#direction;
      const event = this.#streams.includes(eventStream) ? JSON.stringify(this.#direction.event('connect', call)) : null;
      const at = env.clock.now();
      await ensureMonths(env, 'call_events', at);
      const isOpen = await writeAnswer(env.pool, {
        ...{ id: call.id, call: storedCall(call, this.#streams, leg?.dialogs), account_id: call.accountId },
        ...{ stream: eventStream, event, at },
      });
      if (!isOpen) return false;
      this.#call = call;
      this.#traceState();
      wake(this.#host, this.#direction, call, this.#streams);
      return !this.#isOver;
    });
  }

  /** The attempt ended without an answer: starts the next attempt, or ends the call. */
  attemptFailed(failure: Failure, at: Date): Promise<'rerouted' | 'ended'> {
    const disconnect: Disconnect = { reason: phraseOf(failure.code), initiator: 'destination', ...failure };
    return this.#inTurn(() => this.#failed(disconnect, at));
  }

  /** Called before anything is sent. Skips attempts that cannot be sent, as failed. */
  async begin(at: Date): Promise<'begun' | 'ended'> {
    const code = this.#direction.cannotBegin?.(this.#call) ?? null;
    if (code === null) return 'begun';
    const result = await this.#failed({ code, reason: phraseOf(code), initiator: 'switch' }, at);
    return result === 'ended' ? 'ended' : 'begun';
  }

  /**
   * Returns the ended call, or null if it had ended already. An end is never lost: while the database is away it is
   * tried again, with the given time. It waits for `heard`, what was heard of its media.
   */
  end(disconnect: Disconnect, at: Date, heard: Promise<CallQuality | null> | null = null): Promise<C | null> {
    this.#isEnding = true;
    return this.#inTurn(async () => {
      const quality = await heard;
      if (quality !== null) this.#trace.heard(quality);
      this.#call = withSound(this.#call, quality, at);
      if (this.#endedElsewhere === null) return this.#end(disconnect, at);
      await writeLateSound(this.#host.env.pool, this.#direction.cdrTable, this.#call);
      return null;
    });
  }

  get #hasEnded(): boolean {
    return this.#call.state === 'ended' || this.#endedElsewhere !== null;
  }

  /** The call has ended, or its end is next: a report made before that is still written, but nothing is dialled. */
  get #isOver(): boolean {
    return this.#isEnding || this.#hasEnded;
  }

  #hangUp(disconnect: Disconnect): void {
    if (this.#isOver) return;
    this.#endedElsewhere = disconnect;
    this.#trace.note(`ended by another process with ${disconnect.code}: ${disconnect.reason}`);
    this.#trace.changed({ ...this.#direction.traced(this.#call), state: 'ended' });
    this.#legs?.hangUp(disconnect);
  }

  #traceState(): void {
    if (this.#trace.isRecording) this.#trace.changed(this.#direction.traced(this.#call));
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #failed(disconnect: Disconnect, at: Date): Promise<'rerouted' | 'ended'> {
    if (this.#hasEnded) return 'ended';
    const dial = await this.#next(this.#call, this.#target, disconnect, at);
    if (dial === null) {
      await this.#end(disconnect, at);
      return 'ended';
    }
    this.#call = attemptEnded(this.#call, disconnect, at);
    if (this.#isOver) return 'ended';
    let call = routed(this.#call, dial.attempt);
    let cut = await this.#holdFor(call);
    const cheaper = cut === null ? null : (this.#direction.cheaper?.(call) ?? null);
    if (cheaper !== null) {
      call = cheaper;
      cut = await this.#holdFor(call);
    }
    if (cut !== null) {
      this.#trace.note(`refused with ${cut.code}: ${cut.reason}`);
      await this.#end(cut, at);
      return 'ended';
    }
    const { rowCount } = await this.#host.env.pool.query({
      name: 'voice_rerouted',
      text: `update open_calls set call = $2 where id = $1`,
      values: [call.id, storedCall(call, this.#streams)],
    });
    if (rowCount === 0 || this.#isOver) return 'ended';
    this.#call = call;
    this.#target = dial.target;
    this.#traceState();
    return (await this.begin(at)) === 'ended' ? 'ended' : 'rerouted';
  }

  /** Of a call that goes on to its next attempt. */
  async #holdFor(call: C): Promise<Disconnect | null> {
    const dialled = this.#direction.dialled(call);
    const asked = rerouteWish(this.#host.env, this.#direction.tariff(call), this.#held, dialled);
    return asked && this.#hold(asked);
  }

  async #hold(asked: Wish): Promise<Disconnect | null> {
    const held = await extend(this.#host.env, this.#call.id, asked);
    if (typeof held === 'string') return cutFor(held);
    // An ended call needs none.
    if (held !== null) this.#held = held;
    return null;
  }

  async #end(disconnect: Disconnect, at: Date): Promise<C | null> {
    if (this.#hasEnded) return null;
    this.#isEnding = true;
    const call = await this.#writeEnd(disconnect, at).finally(this.#letGo);
    if (call === null) return null;
    this.#call = call;
    this.#traceState();
    wake(this.#host, this.#direction, call, this.#streams);
    return call;
  }

  #writeEnd(disconnect: Disconnect, at: Date): Promise<C | null> {
    const { env } = this.#host;
    this.#unwritten = { disconnect, at };
    return untilWritten(env, this.#call.id, () => {
      const open = { call: this.#call, streams: this.#streams, held: this.#held };
      return endCall(env, this.#direction, open, disconnect, at);
    });
  }
}
