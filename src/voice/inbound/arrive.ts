/** Inbound calls of one process: who drives them (a SIP leg, the simulator) tells what happened, and is told what to do. */
import type { Environment } from '../../environment.ts';
import { answered, attemptEnded, type Disconnect, ended, type InboundCall, ringing, routed } from '../call.ts';
import { newCallId } from '../call-id.ts';
import { endCall, writeRefusedCall } from '../end-call.ts';
import { momentOf } from '../moment.ts';
import { ensureMonths } from '../months.ts';
import { attemptAt, count, type Note, openCall } from '../open-call.ts';
import { phraseOf } from '../reasons.ts';
import { storedCall } from '../stored-call.ts';
import { fits } from './capacity.ts';
import { incomingConnect } from './events.ts';
import { type Refusal, refusalText, refuseNumber } from './refusals.ts';
import { isRerouted } from './rerouting.ts';
import { findRoute, type Route, type RouteTrunk } from './route.ts';
import { orderTrunks, type Random } from './trunk-order.ts';

export interface Arrival {
  didNumber: string;
  srcNumber: string;
  srcName?: string | null;
  /** When the INVITE came; now, when left out. */
  at?: Date;
  /** Hears why things were decided as they were. */
  note?: Note;
  random?: Random;
}

export type Arrived = { refusal: Refusal; call: InboundCall } | { refusal: null; live: LiveCall };

/** Called when a call's events have been committed, so that delivery need not wait for its next look. */
export type OnEvents = (accountId: string) => void;

export interface CallHost {
  env: Environment;
  workerId: string;
  onEvents: OnEvents;
}

export async function arrive(host: CallHost, arrival: Arrival): Promise<Arrived> {
  const { env } = host;
  const at = arrival.at ?? momentOf(env.clock);
  const note = arrival.note ?? (() => undefined);
  const { facts, route } = await findRoute(env.pool, arrival.didNumber, arrival.srcNumber);
  const call = arrivedCall(arrival, at, route);
  const refused = refuseNumber(facts, at);
  if (refused !== null || route === null)
    return refuse(host, call, refused ?? { code: 404, reason: 'unknown_number' }, route, note);
  note(route.trunkGroup ? `routed to the group "${route.trunkGroup.name}"` : 'routed to a single trunk');
  const order = orderTrunks(route.trunks, arrival.random);
  for (const trunk of order) note(`  priority ${trunk.priority}, weight ${trunk.weight}: "${trunk.name}"`);
  await ensureMonths(env, 'call_events', env.clock.now());
  const opened = await openCall(env, host.workerId, call, route, order, note);
  if ('code' in opened) return refuse(host, call, opened, route, note);
  if (route.streams.length > 0) host.onEvents(route.accountId);
  return { refusal: null, live: new LiveCall(host, opened.call, opened.remaining, route.streams, note) };
}

async function refuse(
  host: CallHost,
  call: InboundCall,
  refusal: Refusal,
  route: Route | null,
  note: Note,
): Promise<Arrived> {
  const reason = refusalText(refusal.reason);
  note(`refused with ${refusal.code}: ${reason}`);
  const over = ended(call, { code: refusal.code, reason, initiator: 'switch' }, call.timeStart);
  await writeRefusedCall(host.env, over, route?.streams ?? []);
  if (route && route.streams.length > 0) host.onEvents(route.accountId);
  return { refusal, call: over };
}

function arrivedCall(arrival: Arrival, at: Date, route: Route | null): InboundCall {
  return {
    id: newCallId(),
    accountId: route?.accountId ?? null,
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
    state: 'arrived',
    timeConnect: null,
    timeEnd: null,
    attempts: [],
    disconnect: null,
  };
}

/** A call that is up. Every change is in the database when its promise is fulfilled. */
export class LiveCall {
  readonly #host: CallHost;
  readonly #streams: readonly string[];
  readonly #note: Note;
  #remaining: RouteTrunk[];
  #call: InboundCall;

  constructor(host: CallHost, call: InboundCall, remaining: RouteTrunk[], streams: readonly string[], note: Note) {
    this.#host = host;
    this.#call = call;
    this.#remaining = remaining;
    this.#streams = streams;
    this.#note = note;
  }

  get call(): InboundCall {
    return this.#call;
  }

  ringing(): void {
    this.#call = ringing(this.#call);
  }

  /** False when the call was ended meanwhile: the leg must be taken down. */
  async answered(at: Date): Promise<boolean> {
    const up = answered(this.#call, at);
    const told = this.#streams.includes('voice_in_events') ? JSON.stringify(incomingConnect(up)) : null;
    const { env } = this.#host;
    await ensureMonths(env, 'call_events', env.clock.now());
    const { rows } = await env.pool.query({
      name: 'voice_answered',
      text: answeredStatement,
      values: [up.id, storedCall(up, this.#streams), up.accountId, told, env.clock.now()],
    });
    this.#call = up;
    if (rows.length > 0) this.#tell();
    return rows.length > 0;
  }

  /** The attempt ended without an answer. Either the next trunk is tried, or the call is over. */
  async attemptFailed(code: number, at: Date): Promise<'rerouted' | 'ended'> {
    const disconnect: Disconnect = { code, reason: phraseOf(code), initiator: 'destination' };
    const current = this.#call.attempts.at(-1);
    const goesOn = isRerouted(code, current?.reroutingIds ?? null);
    this.#note(
      `"${current?.trunkName}" answered ${code} ${disconnect.reason}: ${goesOn ? 'listed for rerouting' : 'not listed for rerouting'}`,
    );
    const next = goesOn ? await this.#next() : null;
    if (next === null) {
      await this.end(disconnect, at);
      return 'ended';
    }
    const rerouted = routed(attemptEnded(this.#call, disconnect, at), attemptAt(next, this.#call, at));
    await this.#host.env.pool.query({
      name: 'voice_rerouted',
      text: `update open_calls set call = $2 where id = $1`,
      values: [rerouted.id, storedCall(rerouted, this.#streams)],
    });
    this.#call = rerouted;
    return 'rerouted';
  }

  /** Null when somebody else has ended it. */
  async end(disconnect: Disconnect, at: Date): Promise<InboundCall | null> {
    const over = await endCall(this.#host.env, this.#call, this.#streams, disconnect, at);
    if (over === null) return null;
    this.#call = over;
    this.#tell();
    return over;
  }

  #tell(): void {
    if (this.#call.accountId !== null && this.#streams.length > 0) this.#host.onEvents(this.#call.accountId);
  }

  /** Takes the channel of the next trunk that has one, in place of the last trunk's. */
  async #next(): Promise<RouteTrunk | null> {
    for (;;) {
      const next = this.#remaining.shift();
      if (next === undefined) {
        this.#note('no trunk is left to try');
        return null;
      }
      if (await this.#take(next)) return next;
      this.#note(`trunk "${next.name}" is skipped: its capacity limit of ${next.capacityLimit} is reached`);
    }
  }

  async #take(trunk: RouteTrunk): Promise<boolean> {
    const client = await this.#host.env.pool.connect();
    try {
      await client.query('begin');
      const trunks = trunk.capacityLimit === null ? [] : [trunk.id];
      const inUse =
        trunks.length > 0 ? await count(client, { did: null, capacityGroup: null, trunkGroup: null, trunks }) : null;
      const fitting = fits(inUse?.by_trunk[trunk.id] ?? 0, trunk.capacityLimit);
      if (fitting)
        await client.query(`update open_calls set trunk_id = $2, state = 'routed' where id = $1`, [
          this.#call.id,
          trunk.id,
        ]);
      await client.query('commit');
      return fitting;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }
}

export const answeredStatement = `
  with up as (update open_calls set state = 'answered', call = $2 where id = $1 returning id),
  told as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select $3, 'voice_in_events', $1, $4, $5, $5 from up where $4::text is not null
  )
  select id from up`;
