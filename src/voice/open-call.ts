/** Takes a channel for a call and writes the call down: locks, counts, decides, inserts; all or nothing. */
import type { PoolClient } from 'pg';
import type { Environment } from '../environment.ts';
import { type Attempt, type InboundCall, routed } from './call.ts';
import { newLegId } from './call-id.ts';
import { callerIdFor } from './inbound/caller-id.ts';
import { chooseChannel, fits } from './inbound/capacity.ts';
import { destinationOf } from './inbound/destination.ts';
import { incomingStart } from './inbound/events.ts';
import { type Refusal, refusal } from './inbound/refusals.ts';
import type { Route, RouteTrunk } from './inbound/route.ts';
import { storedCall } from './stored-call.ts';

export type Note = (text: string) => void;

/** The ringing timeout of a trunk that names none. */
const platformRingingTimeout = 30;

export interface Opened {
  call: InboundCall;
  /** Trunks left to try, in order. */
  remaining: RouteTrunk[];
}

interface InUse {
  number_total: number;
  included: number;
  dedicated: number;
  shared: number;
  metered: number;
  in_group: number;
  by_trunk: Record<string, number>;
}

export async function openCall(
  env: Environment,
  workerId: string,
  arrived: InboundCall,
  route: Route,
  order: readonly RouteTrunk[],
  note: Note,
): Promise<Opened | Refusal> {
  const client = await env.pool.connect();
  try {
    await client.query('begin');
    const decided = await decide(client, arrived, route, order, note);
    if ('code' in decided) {
      await client.query('rollback');
      return decided;
    }
    await insert(client, env, workerId, decided.call, route.streams);
    await client.query('commit');
    return decided;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

async function decide(
  client: PoolClient,
  arrived: InboundCall,
  route: Route,
  order: readonly RouteTrunk[],
  note: Note,
): Promise<Opened | Refusal> {
  const inUse = await count(client, {
    did: route.didId,
    capacityGroup: route.capacityGroup?.id ?? null,
    trunkGroup: route.trunkGroup?.capacityLimit == null ? null : route.trunkGroup.id,
    trunks: order.filter(({ capacityLimit }) => capacityLimit !== null).map(({ id }) => id),
  });
  const group = route.capacityGroup;
  const choice = chooseChannel({
    channels: {
      included: route.included,
      dedicated: route.dedicated,
      shared: group?.shared ?? 0,
      metered: group?.metered ?? 0,
    },
    inUse,
    numberInUse: inUse.number_total,
    numberLimit: route.numberLimit,
  });
  if ('refusal' in choice) return choice.refusal;
  if (route.trunkGroup && !fits(inUse.in_group, route.trunkGroup.capacityLimit)) return refusal('trunk_group_limit');
  const free = order.filter((trunk) => {
    const fitting = fits(inUse.by_trunk[trunk.id] ?? 0, trunk.capacityLimit);
    if (!fitting) note(`trunk "${trunk.name}" is skipped: its capacity limit of ${trunk.capacityLimit} is reached`);
    return fitting;
  });
  const [first, ...remaining] = free;
  if (first === undefined) return refusal('trunk_limit');
  note(`channel: ${choice.kind}${group && isOfGroup(choice.kind) ? ` of "${group.name}"` : ''}`);
  const call = {
    ...arrived,
    channel: choice.kind,
    capacityGroupName: isOfGroup(choice.kind) ? (group?.name ?? null) : null,
  };
  return { call: routed(call, attemptAt(first, call, call.timeStart)), remaining };
}

const isOfGroup = (kind: string): boolean => kind === 'shared' || kind === 'metered';

export interface Counted {
  did: string | null;
  capacityGroup: string | null;
  trunkGroup: string | null;
  trunks: readonly string[];
}

export async function count(client: PoolClient, counted: Counted): Promise<InUse> {
  const { rows } = await client.query<InUse>({
    name: 'voice_channels_in_use',
    text: 'select * from voice_channels_in_use($1, $2, $3, $4::uuid[])',
    values: [counted.did, counted.capacityGroup, counted.trunkGroup, counted.trunks],
  });
  const [inUse] = rows;
  if (inUse === undefined) throw new Error('voice_channels_in_use answers one row');
  return inUse;
}

export function attemptAt(
  trunk: RouteTrunk,
  call: Pick<InboundCall, 'didNumber' | 'srcNumber' | 'country' | 'attempts'>,
  at: Date,
): Attempt {
  const { configuration } = trunk;
  return {
    trunkId: trunk.id,
    trunkName: trunk.name,
    destination: destinationOf(trunk, call.didNumber),
    callerId: callerIdFor(call.srcNumber, trunk.callerId, call.country),
    callId: newLegId(),
    transportProtocolId: Number(configuration.transport_protocol_id ?? 0) || null,
    popId: trunk.popId,
    forwardingRate: trunk.forwardingRate,
    // A name that has been found is not looked up again for the next trunk.
    nameLookupRate: call.attempts.some(({ nameLookupRate }) => nameLookupRate) ? null : trunk.nameLookupRate,
    ringingTimeoutSeconds: trunk.ringingTimeout ?? platformRingingTimeout,
    reroutingIds: Array.isArray(configuration.rerouting_disconnect_code_ids)
      ? configuration.rerouting_disconnect_code_ids
      : null,
    startedAt: at,
    endedAt: null,
    disconnect: null,
  };
}

async function insert(
  client: PoolClient,
  env: Environment,
  workerId: string,
  call: InboundCall,
  streams: readonly string[],
): Promise<void> {
  const told = streams.includes('voice_in_events') ? JSON.stringify(incomingStart(call)) : null;
  await client.query({
    name: 'voice_open_call',
    text: openStatement,
    values: [
      call.id,
      call.accountId,
      workerId,
      call.state,
      call.didId,
      call.channel,
      call.sharedCapacityGroupId,
      call.attempts.at(-1)?.trunkId,
      call.trunkGroupId,
      call.timeStart,
      storedCall(call, streams),
      told,
      env.clock.now(),
    ],
  });
}

export const openStatement = `
  with opened as (
    insert into open_calls (id, direction, account_id, worker_id, state, did_id, channel, shared_capacity_group_id,
                            trunk_id, trunk_group_id, time_start, call)
    values ($1, 'in', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  )
  insert into call_events (account_id, stream, call_id, body, created_at, due_at)
  select $2, 'voice_in_events', $1, $12, $13, $13 where $12::text is not null`;
