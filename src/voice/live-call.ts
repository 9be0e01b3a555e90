/**
 * An active call of this process. Its driver (SIP, the simulator) reports what happened to the legs, and the result of each
 * method says what to do next. A change is committed when its promise resolves.
 */
import { answered, attemptEnded, type Call, type Disconnect, ringing, routed, storedCall } from './call.ts';
import { phraseOf } from './disconnect-codes.ts';
import { endCall } from './end-call.ts';
import { ensureMonths } from './months.ts';
import { wake } from './open-call.ts';
import type { CallHost, Direction, Legs } from './ports.ts';

/** Chooses the next attempt after one failed with `code`, and takes its channel; returns null if the call has ended. */
export type NextAttempt<C extends Call> = (call: C, code: number, at: Date) => Promise<C['attempts'][number] | null>;

export interface OpenedCall<C extends Call> {
  call: C;
  streams: readonly string[];
  next: NextAttempt<C>;
}

export class LiveCall<C extends Call> {
  readonly #host: CallHost;
  readonly #direction: Direction<C>;
  readonly #streams: readonly string[];
  readonly #next: NextAttempt<C>;
  #call: C;
  #letGo: () => void = () => undefined;

  constructor(host: CallHost, direction: Direction<C>, { call, streams, next }: OpenedCall<C>) {
    this.#host = host;
    this.#direction = direction;
    this.#call = call;
    this.#streams = streams;
    this.#next = next;
  }

  get call(): C {
    return this.#call;
  }

  /** Registers the driver's legs. Before that, nothing is hung up if the call is ended elsewhere. */
  carriedBy(legs: Legs): void {
    this.#letGo();
    this.#letGo = this.#host.carry(this.#call.id, legs);
  }

  ringing(): void {
    this.#call = ringing(this.#call);
  }

  /** Returns false if the call was ended meanwhile: the driver must hang up the leg. */
  async answered(at: Date): Promise<boolean> {
    const call = answered(this.#call, at);
    const { env } = this.#host;
    const { eventStream } = this.#direction;
    const event = this.#streams.includes(eventStream) ? JSON.stringify(this.#direction.connectEvent(call)) : null;
    await ensureMonths(env, 'call_events', env.clock.now());
    const { rows } = await env.pool.query({
      name: 'voice_answered',
      text: answeredStatement,
      values: [call.id, storedCall(call, this.#streams), call.accountId, eventStream, event, env.clock.now()],
    });
    this.#call = call;
    if (rows.length > 0) wake(this.#host, call, this.#streams);
    return rows.length > 0;
  }

  /** The attempt ended without an answer: starts the next attempt, or ends the call. */
  attemptFailed(code: number, at: Date): Promise<'rerouted' | 'ended'> {
    return this.#failed({ code, reason: phraseOf(code), initiator: 'destination' }, at);
  }

  /** Called before anything is sent. Skips attempts that cannot be sent, as failed. */
  async begin(at: Date): Promise<'begun' | 'ended'> {
    const code = this.#direction.cannotBegin?.(this.#call) ?? null;
    if (code === null) return 'begun';
    const result = await this.#failed({ code, reason: phraseOf(code), initiator: 'switch' }, at);
    return result === 'ended' ? 'ended' : 'begun';
  }

  async #failed(disconnect: Disconnect, at: Date): Promise<'rerouted' | 'ended'> {
    const { code } = disconnect;
    const attempt = await this.#next(this.#call, code, at);
    if (attempt === null) {
      await this.end(disconnect, at);
      return 'ended';
    }
    const call = routed(attemptEnded(this.#call, disconnect, at), attempt);
    await this.#host.env.pool.query({
      name: 'voice_rerouted',
      text: `update open_calls set call = $2 where id = $1`,
      values: [call.id, storedCall(call, this.#streams)],
    });
    this.#call = call;
    return (await this.begin(at)) === 'ended' ? 'ended' : 'rerouted';
  }

  /** Returns the ended call, or null if another process ended it first. */
  async end(disconnect: Disconnect, at: Date): Promise<C | null> {
    this.#letGo();
    const call = await endCall(this.#host.env, this.#direction, this.#call, this.#streams, disconnect, at);
    if (call === null) return null;
    this.#call = call;
    wake(this.#host, call, this.#streams);
    return call;
  }
}

export const answeredStatement = `
  with active as (update open_calls set state = 'answered', call = $2 where id = $1 returning id),
  event as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select $3, $4, $1, $5, $6, $6 from active where $5::text is not null
  )
  select id from active`;
