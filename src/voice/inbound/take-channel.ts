/** Takes a channel for an inbound call: counts under locks, chooses a channel and the first trunk with free capacity. */
import type { PoolClient } from 'pg';
import type { Environment } from '../../environment.ts';
import { routed } from '../call.ts';
import { countChannels, countOnTrunk, fits, withLocks } from '../channels.ts';
import { isRerouted, phraseOf } from '../disconnect-codes.ts';
import type { NextAttempt } from '../live-call.ts';
import { attemptAt, isRoutable } from './attempt.ts';
import type { ChannelKind, InboundCall } from './call.ts';
import { type Refusal, refusal, refusalText } from './refusals.ts';
import type { Route, RouteTrunk } from './route.ts';

/** Receives the reasons of a decision as text. */
export type Note = (text: string) => void;

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

/** The order in which channels are used (behaviour, section 3). */
export const channelKinds: readonly ChannelKind[] = ['included', 'dedicated', 'shared', 'metered'];

export interface CapacityFacts {
  /** Number of channels of each kind that the number may use, including those of its shared group. */
  channels: Readonly<Record<ChannelKind, number>>;
  inUse: Readonly<Record<ChannelKind, number>>;
  /** Active calls on this number, of any kind, and their maximum; null means no limit. */
  numberInUse: number;
  numberLimit: number | null;
}

export type ChannelChoice = { kind: ChannelKind } | { refusal: Refusal };

export function chooseChannel(facts: CapacityFacts): ChannelChoice {
  // The limit of a number reduces its concurrency; it never adds a channel.
  if (facts.numberLimit !== null && facts.numberInUse >= facts.numberLimit) return { refusal: refusal('number_limit') };
  const kind = channelKinds.find((each) => facts.inUse[each] < facts.channels[each]);
  return kind ? { kind } : { refusal: refusal('no_free_channel') };
}
