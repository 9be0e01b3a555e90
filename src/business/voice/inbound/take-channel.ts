/**
 * Chooses the channel and the first trunk with free capacity for an inbound call, and the next trunk after a failed
 * attempt.
 */
import type { Environment } from '../../../engines/environment.ts';
import { routed } from '../call.ts';
import { type Counted, countOnTrunk, fits, type InUse, withLocks } from '../channels.ts';
import { failureText, isRerouted } from '../disconnect-codes.ts';
import type { NextAttempt } from '../live-call.ts';
import type { Within } from '../open-call.ts';
import { attemptAt, isRoutable } from './attempt.ts';
import type { ChannelKind, InboundCall } from './call.ts';
import { type InboundRefusal, refusal } from './refusals.ts';
import type { Route, RouteTrunk } from './route.ts';

/** Returns the caller's name if one of these trunks wants it and it is known. */
export type LookUp = (trunks: readonly RouteTrunk[]) => Promise<string | null>;

/** Receives the reasons of a decision as text. */
export type Note = (text: string) => void;

interface Taken {
  call: InboundCall;
  within: Within;
  /** The trunk of the first attempt. */
  trunk: RouteTrunk;
  /** The trunks still to try, in order. */
  remaining: RouteTrunk[];
}

/** What is counted before a channel is taken: the number, and whatever has a limit. */
export const countedFor = (route: Route, order: readonly RouteTrunk[]): Counted => ({
  did: route.didId,
  capacityGroup: route.capacityGroup?.id ?? null,
  trunkGroup: route.trunkGroup?.capacityLimit == null ? null : route.trunkGroup.id,
  trunks: order.filter(({ capacityLimit }) => capacityLimit !== null).map(({ id }) => id),
});

export function takeChannel(
  arrived: InboundCall,
  route: Route,
  order: readonly RouteTrunk[],
  inUse: InUse,
  note: Note,
  callerName: string | null = null,
): Taken | InboundRefusal {
  const channel = chooseChannel(route, inUse);
  if (typeof channel !== 'string') return channel;
  const groupLimit = route.trunkGroup?.capacityLimit ?? null;
  if (!fits(inUse.in_group, groupLimit)) return refusal('trunk_group_limit');
  const free = order.filter((trunk) => {
    const fitting = fits(inUse.by_trunk[trunk.id] ?? 0, trunk.capacityLimit);
    if (!fitting) noteFull(trunk, note);
    return fitting;
  });
  const [first, ...remaining] = free;
  if (first === undefined) return refusal('trunk_limit');
  const isOfGroup = channel === 'shared' || channel === 'metered';
  const capacityGroupName = isOfGroup ? (route.capacityGroup?.name ?? null) : null;
  note(`channel: ${channel}${capacityGroupName === null ? '' : ` of "${capacityGroupName}"`}`);
  const call = { ...arrived, channel, capacityGroupName };
  return {
    call: routed(call, attemptAt(first, call, call.timeStart, callerName)),
    within: {
      ...{ number: route.numberLimit, channel: channelsOf(route)[channel] },
      ...{ trunkGroup: groupLimit, trunk: first.capacityLimit },
    },
    ...{ trunk: first, remaining },
  };
}

const noteFull = (trunk: RouteTrunk, note: Note): void =>
  note(`trunk "${trunk.name}" is skipped: its capacity limit of ${trunk.capacityLimit} is reached`);

/**
 * After a failed attempt returns the next trunk with free capacity, if the failed trunk lists the code for rerouting.
 */
export function nextTrunk(
  env: Environment,
  trunks: readonly RouteTrunk[],
  note: Note,
  lookUp: LookUp,
): NextAttempt<InboundCall, RouteTrunk> {
  const remaining = [...trunks];
  return async (call, failed, failure, at) => {
    const { code } = failure;
    const attempt = call.attempts.at(-1);
    const isSupported = attempt === undefined || isRoutable(attempt.destination);
    const goesOn = isRerouted(code, attempt?.reroutingIds ?? null);
    note(
      isSupported
        ? `"${failed.name}" ${failureText(failure)}: ${goesOn ? 'listed for rerouting' : 'not listed for rerouting'}`
        : `"${failed.name}" fails with ${code}: ${refusal('protocol_not_supported').text}`,
    );
    if (isSupported && !goesOn) return null;
    for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
      const moved = await moveTo(env, call, next);
      if (moved === 'moved') return { attempt: attemptAt(next, call, at, await lookUp([next])), target: next };
      if (moved === 'full') noteFull(next, note);
      else note(`trunk "${next.name}" is skipped: it was deleted`);
    }
    note('no trunk is left to try');
    return null;
  };
}

/** Moves the call from the previous trunk's channel to one of this trunk. */
function moveTo(env: Environment, call: InboundCall, trunk: RouteTrunk): Promise<'moved' | 'full' | 'deleted'> {
  return withLocks(env, async (client) => {
    if (!fits(await countOnTrunk(client, trunk), trunk.capacityLimit)) return 'full';
    const { rows } = await client.query(
      `with trunk as (select id from voice_in_trunks where id = $2),
       moved as (update open_calls o set trunk_id = t.id, state = 'routed' from trunk t where o.id = $1)
       select id from trunk`,
      [call.id, trunk.id],
    );
    return rows.length > 0 ? 'moved' : 'deleted';
  });
}

/** The order in which channels are used (behaviour, section 3). */
const channelKinds: readonly ChannelKind[] = ['included', 'dedicated', 'shared', 'metered'];

/** The channels that a number may use, including those of its shared group. */
export type Channels = Pick<Route, 'included' | 'dedicated' | 'capacityGroup' | 'numberLimit'>;

export function chooseChannel(
  route: Channels,
  inUse: Pick<InUse, ChannelKind | 'number_total'>,
): ChannelKind | InboundRefusal {
  // The limit of a number reduces its concurrency; it never adds a channel.
  if (!fits(inUse.number_total, route.numberLimit)) return refusal('number_limit');
  const channels = channelsOf(route);
  return channelKinds.find((kind) => inUse[kind] < channels[kind]) ?? refusal('no_free_channel');
}

function channelsOf({ included, dedicated, capacityGroup }: Channels): Record<ChannelKind, number> {
  const { shared = 0, metered = 0 } = capacityGroup ?? {};
  return { included, dedicated, shared, metered };
}
