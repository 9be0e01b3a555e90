/** Counts of active calls, undelivered events and reachable SIP peers, for the metrics. */
import type { Environment } from '../../engines/environment.ts';

export type Counts = Record<string, number>;

/** Active calls by direction. */
export const countCalls = (env: Environment): Promise<Counts> =>
  counts(
    env,
    `select d.name, count(o.id)::int as n from (values ('in'), ('out')) d (name)
     left join open_calls o on o.direction = d.name group by 1`,
  );

/** Undelivered events and CDRs by stream. */
export const countWaitingEvents = (env: Environment): Promise<Counts> =>
  counts(env, 'select stream as name, count(*)::int as n from call_events where due_at is not null group by 1');

/** Failing receivers, which get one event at a time until they respond again, by stream. */
export const countFailingReceivers = (env: Environment): Promise<Counts> =>
  counts(env, 'select stream as name, count(*)::int as n from call_event_lanes group by 1');

/** 1 for a carrier that answers OPTIONS, 0 for one that does not, by its name. */
export const countReachableCarriers = (env: Environment): Promise<Counts> =>
  counts(
    env,
    `select c.name, (p.state = 'up')::int as n from sip_peers p join carriers c on c.id = p.carrier_id
     where c.enabled and p.state is not null`,
  );

/** Inbound trunks by whether they answer OPTIONS. */
export const countTrunksByState = (env: Environment): Promise<Counts> =>
  counts(
    env,
    `select s.name, count(p.id)::int as n from (values ('up'), ('down')) s (name)
     left join sip_peers p on p.state = s.name and p.trunk_id is not null group by 1`,
  );

async function counts(env: Environment, text: string): Promise<Counts> {
  const { rows } = await env.pool.query<{ name: string; n: number }>(text);
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}
