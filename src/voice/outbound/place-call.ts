/** Places a customer's call: who it is, whether it may, and a channel of its trunk; all or nothing. */
import type { PoolClient } from 'pg';
import type { Disconnect } from '../call.ts';
import { newCallId } from '../call-id.ts';
import type { CallHost } from '../inbound/arrive.ts';
import type { Random } from '../inbound/trunk-order.ts';
import { momentOf } from '../moment.ts';
import { ensureMonths } from '../months.ts';
import { count } from '../open-call.ts';
import {
  decide,
  identify,
  type OutboundRefusalReason,
  type OutboundRequest,
  outboundReasons,
  strippedDestination,
} from './decide.ts';
import { endOutboundCall, writeRefusedOutboundCall } from './end-outbound-call.ts';
import { candidateTrunks, type OutboundSituation, situationOf } from './find-trunks.ts';
import { type OutboundCall, outboundAnswered, outboundConnect, outboundStart } from './outbound-call.ts';

export interface OutboundArrival extends OutboundRequest {
  sourcePort: number;
  sourceProtocol: 'UDP' | 'TCP' | 'TLS';
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

export type Placed = { challenge: true } | OutboundRefusal | { live: LiveOutboundCall };

export async function placeCall(host: CallHost, arrival: OutboundArrival): Promise<Placed> {
  const { env } = host;
  const who = identify(arrival, await candidateTrunks(env, arrival));
  if (!('trunk' in who)) return who;
  const situation = await situationOf(env, who.trunk, strippedDestination(arrival.to, who.trunk) ?? '');
  if (situation === null) return { code: 403, reason: 'not_authorized' };
  await ensureMonths(env, 'call_events', env.clock.now());
  const at = arrival.at ?? momentOf(env.clock);
  const opened = await openOutboundCall(host, arrival, situation, at);
  if (!('code' in opened)) return { live: new LiveOutboundCall(host, opened, situation.streams) };
  const refused = callOf(arrival, situation, arrival.from.replace(/^\+/, ''), at);
  const { code, reason } = opened;
  const disconnect: Disconnect = { code, reason: outboundReasons[reason], initiator: 'switch' };
  await writeRefusedOutboundCall(env, refused, situation.streams, disconnect);
  return opened;
}

async function openOutboundCall(
  host: CallHost,
  arrival: OutboundArrival,
  situation: OutboundSituation,
  at: Date,
): Promise<OutboundCall | OutboundRefusal> {
  const client = await host.env.pool.connect();
  try {
    await client.query('begin');
    const inUse = await inUseOf(client, situation);
    const decision = decide(arrival, { ...situation.facts, inUse }, arrival.random);
    if ('code' in decision) {
      await client.query('rollback');
      return decision;
    }
    const call = callOf(arrival, situation, decision.srcNumber, at);
    await insert(client, host, call, situation.streams);
    await client.query('commit');
    return call;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

async function inUseOf(client: PoolClient, { facts }: OutboundSituation): Promise<number> {
  if (facts.capacityLimit === null) return 0;
  const trunks = [facts.trunk.id];
  const inUse = await count(client, { did: null, capacityGroup: null, trunkGroup: null, trunks });
  return inUse.by_trunk[facts.trunk.id] ?? 0;
}

function callOf(arrival: OutboundArrival, situation: OutboundSituation, srcNumber: string, at: Date): OutboundCall {
  const { trunk } = situation.facts;
  return {
    id: newCallId(),
    accountId: trunk.accountId,
    trunkId: trunk.id,
    trunkName: trunk.name,
    sourceIp: arrival.sourceIp,
    sourcePort: arrival.sourcePort,
    sourceProtocol: arrival.sourceProtocol,
    callId: arrival.callId,
    pop: arrival.pop ?? null,
    originalSrcNumber: arrival.from,
    srcNumber,
    dstNumber: arrival.to,
    rate: situation.rate,
    country: situation.rate?.country ?? null,
    network: situation.rate?.network ?? null,
    vatRate: situation.vatRate,
    pChargeInfo: arrival.pChargeInfo ?? null,
    diversion: arrival.diversion ?? [],
    userAgent: arrival.userAgent ?? null,
    timeStart: at,
    state: 'routed',
    timeConnect: null,
    timeEnd: null,
    disconnect: null,
  };
}

async function insert(
  client: PoolClient,
  host: CallHost,
  call: OutboundCall,
  streams: readonly string[],
): Promise<void> {
  const told = streams.includes('voice_out_events') ? JSON.stringify(outboundStart(call)) : null;
  await client.query({
    name: 'voice_open_outbound_call',
    text: `with opened as (
        insert into open_calls (id, direction, account_id, worker_id, state, trunk_id, time_start, call)
        values ($1, 'out', $2, $3, $4, $5, $6, $7)
      )
      insert into call_events (account_id, stream, call_id, body, created_at, due_at)
      select $2, 'voice_out_events', $1, $8, $9, $9 where $8::text is not null`,
    values: [
      call.id,
      call.accountId,
      host.workerId,
      call.state,
      call.trunkId,
      call.timeStart,
      JSON.stringify({ ...call, streams }),
      told,
      host.env.clock.now(),
    ],
  });
}

/** A call that is up. Every change is in the database when its promise is fulfilled. */
export class LiveOutboundCall {
  readonly #host: CallHost;
  readonly #streams: readonly string[];
  #call: OutboundCall;

  constructor(host: CallHost, call: OutboundCall, streams: readonly string[]) {
    this.#host = host;
    this.#call = call;
    this.#streams = streams;
  }

  get call(): OutboundCall {
    return this.#call;
  }

  /** False when the call was ended meanwhile: the leg must be taken down. */
  async answered(at: Date): Promise<boolean> {
    const { env } = this.#host;
    const up = outboundAnswered(this.#call, at);
    const told = this.#streams.includes('voice_out_events') ? JSON.stringify(outboundConnect(up)) : null;
    await ensureMonths(env, 'call_events', env.clock.now());
    const { rows } = await env.pool.query({
      name: 'voice_outbound_answered',
      text: `with up as (update open_calls set state = 'answered', call = $2 where id = $1 returning id),
        told as (
          insert into call_events (account_id, stream, call_id, body, created_at, due_at)
          select $3, 'voice_out_events', $1, $4, $5, $5 from up where $4::text is not null
        )
        select id from up`,
      values: [up.id, JSON.stringify({ ...up, streams: this.#streams }), up.accountId, told, env.clock.now()],
    });
    this.#call = up;
    return rows.length > 0;
  }

  /** Null when somebody else has ended it. */
  async end(disconnect: Disconnect, at: Date): Promise<OutboundCall | null> {
    const over = await endOutboundCall(this.#host.env, this.#call, this.#streams, disconnect, at);
    if (over !== null) this.#call = over;
    return over;
  }
}
