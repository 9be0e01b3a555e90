/**
 * Which carriers would get a customer's outbound call now, decided by the code that places real calls; nothing is
 * stored.
 */
import { sql } from 'kysely';
import type { Environment } from '../../../engines/environment.ts';
import { createRouteFinder } from '../carriers/find-routes.ts';
import { countOnTrunk, withLocks } from '../channels.ts';
import { isEmergencyNumber } from '../emergency-numbers.ts';
import type { Rate } from '../rates.ts';
import { decide, type OutboundRefusal, type OutboundTrunk, refused, strippedDestination } from './decide.ts';
import { situationOf } from './find-trunks.ts';

interface OutboundDryRun {
  accountId: string;
  trunkName: string;
  refusal: OutboundRefusal | null;
  /** The caller id that would be shown, and the number that the carriers would get. */
  srcNumber: string | null;
  destination: string | null;
  /** What the customer would pay, without VAT. */
  rate: (Rate & { country: string | null; network: string | null }) | null;
  /** In the order in which they would be tried; those of equal priority are drawn by weight. */
  carriers: { id: string; name: string; host: string; transport: string; cost: Rate | null }[];
  notes: string[];
}

interface PlannedCall {
  trunkId: string;
  from: string;
  /** As the customer dials it, with the tech prefix of the trunk if it has one. */
  to: string;
}

/** Returns null if there is no such trunk. */
export async function dryRunOutbound(
  env: Environment,
  { trunkId, from, to }: PlannedCall,
): Promise<OutboundDryRun | null> {
  const trunk = await findTrunk(env, trunkId);
  if (trunk === null) return null;
  const destination = strippedDestination(to, trunk) ?? '';
  const situation = await situationOf(env, trunk, { from, destination });
  if (situation === null) return null;
  const { facts, rate } = situation;
  const isEmergency = isEmergencyNumber(destination);
  const capacityLimit = isEmergency ? null : facts.capacityLimit;
  const inUse = await withLocks(
    env,
    (client) => countOnTrunk(client, { id: trunk.id, capacityLimit }),
    () => false,
  );
  const notes = [
    capacityLimit === null ? 'the trunk has no limit of channels' : `${inUse} of ${capacityLimit} channels are in use`,
    rate === null ? 'no rate for the destination' : `the rate is ${rate.perMinute} a minute`,
    ...(isEmergency ? ['an emergency number: neither balance nor capacity counts'] : []),
  ];
  const known = { accountId: trunk.accountId, trunkName: trunk.name, rate, notes };
  const refusedBy = (refusal: OutboundRefusal): OutboundDryRun => ({
    ...known,
    refusal,
    srcNumber: null,
    destination: null,
    carriers: [],
  });
  const decision = decide({ from, to }, { ...facts, inUse });
  if ('code' in decision) return refusedBy(decision);
  const routes = await createRouteFinder(env)(destination, facts.emergencyCaller?.country ?? null);
  if (routes.length === 0) return refusedBy(refused(isEmergency ? 'no_emergency_carrier' : 'no_carrier'));
  if (from.replace(/^\+/, '') !== decision.srcNumber) notes.push('the trunk replaces the caller id');
  const carriers = routes.map(({ carrier, host, transport, cost }) => ({ ...carrier, host, transport, cost }));
  return { ...known, refusal: null, ...decision, carriers };
}

async function findTrunk(env: Environment, id: string): Promise<OutboundTrunk | null> {
  const { rows } = await sql<OutboundTrunk>`
    select t.id, t.account_id as "accountId", t.name, t.status, t.authentication_type as authentication,
           coalesce(t.authentication->>'tech_prefix', '') as "techPrefix", null as username, null as password
    from voice_out_trunks t where t.id = ${id}`.execute(env.db);
  return rows[0] ?? null;
}
