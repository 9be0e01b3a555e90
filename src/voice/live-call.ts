/**
 * An active call of this process. Its driver (SIP, the simulator) reports what happened to the legs, and the result of each
 * method says what to do next. Reports are worked on one after another; a change is committed when its promise resolves.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { groupedByPool } from '../db/grouped.ts';
import { isUnavailable } from '../db/unavailable.ts';
import { answered, attemptEnded, type Call, type Disconnect, ringing, routed, storedCall } from './call.ts';
import { phraseOf } from './disconnect-codes.ts';
import { endCall } from './end-call.ts';
import { ensureMonths } from './months.ts';
import { wake } from './open-call.ts';
import type { CallHost, Direction, Legs } from './ports.ts';
import type { CallTrace } from './trace/call-trace.ts';

/** An attempt, and how to make it: the settings of its trunk or carrier. */
interface Dial<C extends Call, T> {
  attempt: C['attempts'][number];
  target: T;
}

/** Chooses the next attempt after `current` failed with `code`, and takes its channel; returns null if there is none. */
export type NextAttempt<C extends Call, T> = (
  call: C,
  current: T,
  code: number,
  at: Date,
) => Promise<Dial<C, T> | null>;

interface OpenedCall<C extends Call, T> {
  call: C;
  target: T;
  streams: readonly string[];
  next: NextAttempt<C, T>;
  trace: CallTrace;
}

/** How an attempt failed. By default the destination sent the code with its usual phrase. */
export type Failure = Pick<Disconnect, 'code'> & Partial<Disconnect>;

/** Time between two attempts to write an end while the database is away. */
const retryEndMs = 500;

export class LiveCall<C extends Call, T> {
  readonly #host: CallHost;
  readonly #direction: Direction<C>;
  readonly #streams: readonly string[];
  readonly #next: NextAttempt<C, T>;
  readonly #letGo: () => void;
  readonly #trace: CallTrace;
  #call: C;
  #target: T;
  #legs: Legs | null = null;
  #endedElsewhere: Disconnect | null = null;
  /** The driver has ended the call, or its last attempt has failed. */
  #isEnding = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: CallHost, direction: Direction<C>, { call, target, streams, next, trace }: OpenedCall<C, T>) {
    this.#host = host;
    this.#direction = direction;
    this.#call = call;
    this.#target = target;
    this.#streams = streams;
    this.#next = next;
    this.#trace = trace;
    this.#traceState();
    this.#letGo = host.carry(call.id, { hangUp: (disconnect) => this.#hangUp(disconnect) });
  }

  get call(): C {
    return this.#call;
  }

  /** How to make the current attempt. It may contain passwords, so it is kept in memory only. */
  get target(): T {
    return this.#target;
  }

  /** Registers the driver's legs. They are hung up once, at once if the call was ended elsewhere before this. */
  carriedBy(legs: Legs): void {
    this.#legs = legs;
    if (this.#endedElsewhere !== null) legs.hangUp(this.#endedElsewhere);
  }

  /** A provisional response of the current attempt; may be reported any number of times. Written with the next change. */
  ringing({ earlyMedia = false } = {}): void {
    if (this.#isOver) return;
    const isFirst = this.#call.state !== 'ringing';
    this.#call = ringing(this.#call, earlyMedia);
    if (isFirst) this.#traceState();
  }

  /** Returns false if the call has ended or is ending: the driver must hang up the leg. */
  answered(answeredAt: Date): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#hasEnded) return false;
      const call = answered(this.#call, answeredAt);
      const { env } = this.#host;
      const { eventStream } = this.#direction;
      const event = this.#streams.includes(eventStream) ? JSON.stringify(this.#direction.event('connect', call)) : null;
      const at = env.clock.now();
      await ensureMonths(env, 'call_events', at);
      const isOpen = await writeAnswer(env.pool, {
        ...{ id: call.id, call: storedCall(call, this.#streams), account_id: call.accountId },
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
   * Returns the ended call, or null if it had ended already. An end is never lost: while the database is away it is tried
   * again, with the given time.
   */
  end(disconnect: Disconnect, at: Date): Promise<C | null> {
    this.#isEnding = true;
    return this.#inTurn(() => this.#end(disconnect, at));
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
    const dial = await this.#next(this.#call, this.#target, disconnect.code, at);
    if (dial === null) {
      await this.#end(disconnect, at);
      return 'ended';
    }
    this.#call = attemptEnded(this.#call, disconnect, at);
    if (this.#isOver) return 'ended';
    const call = routed(this.#call, dial.attempt);
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

  async #writeEnd(disconnect: Disconnect, at: Date): Promise<C | null> {
    const { env } = this.#host;
    for (;;) {
      try {
        return await endCall(env, this.#direction, this.#call, this.#streams, disconnect, at);
      } catch (error) {
        if (!isUnavailable(error) || env.pool.ending) throw error;
        await sleep(retryEndMs);
      }
    }
  }
}

/** What is written when a call is answered. */
interface Answer {
  id: string;
  call: object;
  account_id: string | null;
  stream: string;
  /** The body of the event, null if nobody wants it. */
  event: string | null;
  at: Date;
}

/** Returns whether the call was still open. Answers of one moment are written together. */
const writeAnswer = groupedByPool(async (pool: Pool, answers: readonly Answer[]) => {
  const values = [JSON.stringify(answers)];
  const { rows } = await pool.query<{ id: string }>({ name: 'voice_answered', text: answeredStatement, values });
  const open = new Set(rows.map(({ id }) => id));
  return answers.map(({ id }) => open.has(id));
});

/** The list of ids lets PostgreSQL use the index however many calls are open. */
export const answeredStatement = `
  with given as materialized (
    select * from json_to_recordset($1::json)
      as x (id text, call jsonb, account_id uuid, stream text, event text, at timestamptz)
  ), active as (
    update open_calls o set state = 'answered', call = g.call from given g
    where o.id = g.id and o.id = any(array(select id from given))
    returning o.id
  ), event as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select g.account_id, g.stream, g.id, g.event, g.at, g.at from given g join active using (id) where g.event is not null
  )
  select id from active`;
