/**
 * Takes a channel for an inbound call: counts under locks, chooses a channel and the first trunk with free capacity.
 */
import type { PoolClient } from 'pg';
import type { Environment } from '../../environment.ts';
import { justBegun, newLegId, routed } from '../call.ts';
import { countChannels, countOnTrunk, fits, withLocks } from '../channels.ts';
import type { NextAttempt } from '../live-call.ts';
import { phraseOf } from '../reasons.ts';
import type { InboundAttempt, InboundCall } from './call.ts';
import { callerIdFor } from './caller-id.ts';
import { chooseChannel } from './capacity.ts';
import { destinationOf, isRoutable } from './destination.ts';
import { type Refusal, refusal, refusalText } from './refusals.ts';
import { isRerouted } from './rerouting.ts';
import type { Route, RouteTrunk } from './route.ts';

/** Receives the reasons of a decision as text. */
export type Note = (text: string) => void;

/** Ringing timeout of trunks that do not set one, in seconds. */
const platformRingingTimeout = 30;

export interface Taken {
  call: InboundCall;
  /** The trunks still to try, in order. */
  remaining: RouteTrunk[];
}

export async function takeChannel(
  client: PoolClient,
  arrived: InboundCall,
  route: Route,
  order: readonly RouteTrunk[],
  note: Note,
): Promise<Taken | Refusal> {
  const inUse = await countChannels(client, {
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
    if (!fitting) noteFull(trunk, note);
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

const noteFull = (trunk: RouteTrunk, note: Note): void =>
  note(`trunk "${trunk.name}" is skipped: its capacity limit of ${trunk.capacityLimit} is reached`);

export function attemptAt(
  trunk: RouteTrunk,
  call: Pick<InboundCall, 'didNumber' | 'srcNumber' | 'country' | 'attempts'>,
  at: Date,
): InboundAttempt {
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
    // A name that was looked up is not looked up again for the next trunk.
    nameLookupRate: call.attempts.some(({ nameLookupRate }) => nameLookupRate) ? null : trunk.nameLookupRate,
    ringingTimeoutSeconds: trunk.ringingTimeout ?? platformRingingTimeout,
    reroutingIds: Array.isArray(configuration.rerouting_disconnect_code_ids)
      ? configuration.rerouting_disconnect_code_ids
      : null,
    startedAt: at,
    ...justBegun,
  };
}

/**
 * After a failed attempt returns the next trunk with free capacity, if the failed trunk lists the code for rerouting.
 */
export function nextTrunk(env: Environment, trunks: readonly RouteTrunk[], note: Note): NextAttempt<InboundCall> {
  const remaining = [...trunks];
  return async (call, code, at) => {
    const failed = call.attempts.at(-1);
    const isSupported = failed === undefined || isRoutable(failed.destination);
    const goesOn = isRerouted(code, failed?.reroutingIds ?? null);
    note(
      isSupported
        ? `"${failed?.trunkName}" answered ${code} ${phraseOf(code)}: ${goesOn ? 'listed for rerouting' : 'not listed for rerouting'}`
        : `"${failed.trunkName}" fails with ${code}: ${refusalText('protocol_not_supported')}`,
    );
    if (isSupported && !goesOn) return null;
    for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
      if (await moveTo(env, call, next)) return attemptAt(next, call, at);
      noteFull(next, note);
    }
    note('no trunk is left to try');
    return null;
  };
}

/** Moves the call from the previous trunk's channel to one of this trunk; returns false if the trunk is full. */
function moveTo(env: Environment, call: InboundCall, trunk: RouteTrunk): Promise<boolean> {
  return withLocks(env, async (client) => {
    const fitting = fits(await countOnTrunk(client, trunk), trunk.capacityLimit);
    if (fitting) {
      const values = [call.id, trunk.id];
      await client.query(`update open_calls set trunk_id = $2, state = 'routed' where id = $1`, values);
    }
    return fitting;
  });
}
