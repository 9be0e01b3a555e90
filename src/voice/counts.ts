/** What is going on with calls and their events, for the metrics: counts by name. */
import type { Environment } from '../environment.ts';

export type Counts = Record<string, number>;

/** Calls that are up, by direction. */
export const countCalls = (env: Environment): Promise<Counts> =>
  counts(
    env,
    `select d.name, count(o.id)::int as n from (values ('in'), ('out')) d (name)
     left join open_calls o on o.direction = d.name group by 1`,
  );

/** Events and CDRs on their way, by stream. */
export const countWaitingEvents = (env: Environment): Promise<Counts> =>
  counts(env, 'select stream as name, count(*)::int as n from call_events where due_at is not null group by 1');

/** Receivers that fail and are asked again by one event at a time, by stream. */
export const countFailingReceivers = (env: Environment): Promise<Counts> =>
  counts(env, 'select stream as name, count(*)::int as n from call_event_lanes group by 1');

async function counts(env: Environment, text: string): Promise<Counts> {
  const { rows } = await env.pool.query<{ name: string; n: number }>(text);
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}
