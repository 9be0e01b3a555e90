/**
 * Where a call would go now, decided by the code that routes real calls; nothing is stored, and no channel is taken.
 */
import type { Environment } from '../../../engines/environment.ts';
import { countChannels, withLocks } from '../channels.ts';
import { momentOf } from '../moment.ts';
import { arrivedCall } from './arrive.ts';
import { destinationOf } from './attempt.ts';
import { type InboundRefusal, refusal, refuseNumber } from './refusals.ts';
import { findRoute, type RouteTrunk } from './route.ts';
import { countedFor, takeChannel } from './take-channel.ts';
import { orderTrunks } from './trunk-order.ts';

interface DryRun {
  accountId: string | null;
  refusal: InboundRefusal | null;
  /** The trunks that would be tried, in order; trunks of equal priority are drawn by weight. */
  trunks: (Pick<RouteTrunk, 'id' | 'name' | 'priority' | 'weight'> & { destination: string })[];
  /** What was considered on the way. */
  notes: string[];
}

export async function dryRunInbound(env: Environment, { from, to }: { from: string; to: string }): Promise<DryRun> {
  const at = momentOf(env.clock);
  const notes: string[] = [];
  const refused = (reason: InboundRefusal, accountId: string | null): DryRun => ({
    accountId,
    refusal: reason,
    trunks: [],
    notes,
  });
  const route = await findRoute(env.pool, to, from);
  if (typeof route === 'string') return refused(refusal(route), null);
  const { accountId } = route;
  const problem = refuseNumber(route, at);
  if (problem !== null) return refused(problem, accountId);
  const order = orderTrunks(route.trunks);
  const call = arrivedCall({ didNumber: to, srcNumber: from }, at, route);
  const inUse = await withLocks(
    env,
    (client) => countChannels(client, countedFor(route, order)),
    () => false,
  );
  const taken = takeChannel(call, route, order, inUse, (text) => notes.push(text));
  if ('code' in taken) return refused(taken, accountId);
  const trunks = [taken.trunk, ...taken.remaining].map((trunk) => ({
    id: trunk.id,
    name: trunk.name,
    priority: trunk.priority,
    weight: trunk.weight,
    destination: destinationOf(trunk, to),
  }));
  return { accountId, refusal: null, trunks, notes };
}
