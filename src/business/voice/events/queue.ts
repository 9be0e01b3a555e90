/**
 * The events in the database: which are due, the outcome of each attempt, the retry schedule, and the log for
 * operators.
 */
import type { Selectable } from 'kysely';
import type { CallEventsTable, StreamName } from '../../../engines/db/tables/calls.ts';
import type { Environment } from '../../../engines/environment.ts';

/** One account's stream: delivered in order and retried together. */
export interface Lane {
  accountId: string;
  stream: StreamName;
}

export interface DueEvent {
  id: number;
  created_at: Date;
  call_id: string;
  body: string;
  attempts: number;
}

export interface Outcome {
  event: DueEvent;
  delivered: boolean;
  status: number | null;
  error: string | null;
  /** A retry would not help. */
  hopeless?: boolean;
  /** When it is tried again, if not by the schedule. */
  retryAt?: Date;
}

/**
 * Finds lanes with due events. Skips along the index from lane to lane, so the cost does not grow with the length of a
 * lane.
 */
export async function dueLanes(env: Environment): Promise<Lane[]> {
  const { rows } = await env.pool.query<Lane>({
    name: 'voice_due_lanes',
    text: lanesStatement,
    values: [env.clock.now()],
  });
  return rows;
}

/**
 * Returns due events in the order of their due times. An event is left out while an earlier event of its call is due
 * later; an earlier event that is due now comes before it in the same list.
 */
export async function dueEvents(env: Environment, lane: Lane, limit: number): Promise<DueEvent[]> {
  const { rows } = await env.pool.query<DueEvent>({
    name: 'voice_due_events',
    text: dueStatement,
    values: [lane.accountId, lane.stream, env.clock.now(), limit],
  });
  return rows;
}

/** Records the outcome of each event; a failed event becomes due again by the schedule, or is given up. */
export async function settle(env: Environment, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const now = env.clock.now();
  const due = outcomes.map(({ event, delivered, hopeless, retryAt }) => {
    if (retryAt !== undefined) return retryAt;
    const wait = delivered || hopeless ? null : waitAfter(event.attempts + 1);
    return wait === null ? null : new Date(now.getTime() + wait * 1000);
  });
  const created = outcomes.map(({ event }) => event.created_at.getTime());
  await env.pool.query({
    name: 'voice_settle_events',
    text: settleStatement,
    values: [
      outcomes.map(({ event }) => event.id),
      outcomes.map(({ delivered }) => delivered),
      due,
      outcomes.map(({ status }) => status),
      outcomes.map(({ error }) => error),
      now,
      new Date(Math.min(...created)),
      // The column has microseconds, a Date only milliseconds.
      new Date(Math.max(...created) + 1),
    ],
  });
}

/** Makes blocked events due together with the event that blocks them; otherwise their lane would always look due. */
export async function postponeBlocked(env: Environment, lane: Lane): Promise<number> {
  const { rowCount } = await env.pool.query({
    name: 'voice_postpone_events',
    text: postponeStatement,
    values: [lane.accountId, lane.stream, env.clock.now()],
  });
  return rowCount ?? 0;
}

/**
 * `waiting`: the receiver failed and the lane is paused; `probing`: the pause has ended and one event is sent first.
 */
type LaneState = 'open' | 'waiting' | 'probing';

export async function laneState(env: Environment, lane: Lane): Promise<LaneState> {
  const { rows } = await env.pool.query<{ retry_at: Date | null }>({
    name: 'voice_lane_state',
    text: 'select retry_at from call_event_lanes where account_id = $1 and stream = $2',
    values: [lane.accountId, lane.stream],
  });
  const [closed] = rows;
  if (closed === undefined) return 'open';
  return closed.retry_at !== null && closed.retry_at > env.clock.now() ? 'waiting' : 'probing';
}

/** Pauses the lane; after the pause one event is sent first. Events that have waited longer than a day are given up. */
export async function closeLane(env: Environment, lane: Lane): Promise<void> {
  const now = env.clock.now();
  const { rows } = await env.pool.query<{ failures: number }>(
    `insert into call_event_lanes as l (account_id, stream, failures) values ($1, $2, 1)
     on conflict (account_id, stream) do update set failures = l.failures + 1 returning failures`,
    [lane.accountId, lane.stream],
  );
  const retryAt = new Date(now.getTime() + laneWait(rows[0]?.failures ?? 1) * 1000);
  await env.pool.query('update call_event_lanes set retry_at = $3 where account_id = $1 and stream = $2', [
    lane.accountId,
    lane.stream,
    retryAt,
  ]);
  await env.pool.query(
    `update call_events set due_at = null, last_error = coalesce(last_error, 'the receiver did not come back in time')
     where account_id = $1 and stream = $2 and due_at < $3 and created_at < $3`,
    [lane.accountId, lane.stream, new Date(now.getTime() - givenUpAfterMs)],
  );
}

export async function openLane(env: Environment, lane: Lane): Promise<void> {
  await env.pool.query('delete from call_event_lanes where account_id = $1 and stream = $2', [
    lane.accountId,
    lane.stream,
  ]);
}

/** When the next event of the lane becomes due, rounded up to the millisecond; null if none is waiting. */
export async function nextDue(env: Environment, lane: Lane): Promise<Date | null> {
  const { rows } = await env.pool.query<{ at: Date | null }>(
    `select date_trunc('milliseconds', interval '999 microseconds' + greatest(
       min(due_at), (select retry_at from call_event_lanes where account_id = $1 and stream = $2))) as at
     from call_events where account_id = $1 and stream = $2 and due_at is not null
     having min(due_at) is not null`,
    [lane.accountId, lane.stream],
  );
  return rows[0]?.at ?? null;
}

const lanesStatement = `
  with recursive lanes as (
    (select account_id, stream from call_events where due_at is not null order by account_id, stream limit 1)
    union all
    select n.account_id, n.stream from lanes l, lateral (
      select e.account_id, e.stream from call_events e
      where e.due_at is not null and (e.account_id, e.stream) > (l.account_id, l.stream)
      order by e.account_id, e.stream limit 1) n
  )
  select l.account_id as "accountId", l.stream from lanes l
  left join call_event_lanes c on c.account_id = l.account_id and c.stream = l.stream
  where (c.retry_at is null or c.retry_at <= $1)
    and exists (select 1 from call_events e
                where e.account_id = l.account_id and e.stream = l.stream and e.due_at <= $1)`;

const earlierIsDueLater = `
  p.call_id = e.call_id and p.stream = e.stream and p.id < e.id and p.due_at is not null and p.due_at > e.due_at`;

const dueStatement = `
  select e.id, e.created_at, e.call_id, e.body, e.attempts from call_events e
  where e.account_id = $1 and e.stream = $2 and e.due_at <= $3
    and not exists (select 1 from call_events p where ${earlierIsDueLater})
  order by e.due_at, e.id limit $4`;

const settleStatement = `
  update call_events e
  set due_at = x.due, delivered_at = case when x.delivered then $6::timestamptz end, attempts = e.attempts + 1,
      last_attempt_at = $6, last_status = x.status, last_error = x.error
  from unnest($1::bigint[], $2::boolean[], $3::timestamptz[], $4::int[], $5::text[]) as x (id, delivered, due, status, error)
  where e.id = x.id and e.created_at >= $7 and e.created_at <= $8`;

const postponeStatement = `
  update call_events e set due_at = p.due_at
  from call_events p
  where e.account_id = $1 and e.stream = $2 and e.due_at <= $3 and ${earlierIsDueLater}`;

/** Seconds before each retry of a failed event: 1 s, 5 s, 30 s, 2 min, 10 min, then every hour for a day. */
const waits = [1, 5, 30, 120, 600, ...Array.from({ length: 24 }, () => 3600)];

/** Seconds until the next attempt after this many attempts; null if the event is given up. */
export const waitAfter = (attempts: number): number | null => waits[attempts - 1] ?? null;

/** Seconds a failing lane pauses: at most a minute, so that a receiver that works again is noticed soon. */
export const laneWait = (failures: number): number => Math.min(waitAfter(failures) ?? 60, 60);

/** Consecutive failures, of any calls, after which the whole lane pauses. */
export const failuresThatCloseALane = 3;

const givenUpAfterMs = 25 * 3_600_000;

interface LoggedEvent extends Omit<Selectable<CallEventsTable>, 'due_at'> {
  status: 'pending' | 'delivered' | 'failed';
  next_attempt_at: Date | null;
}

interface EventSelection {
  accountId: string;
  stream?: StreamName;
  callId?: string;
  limit?: number;
}

/** Returns the newest events first. */
export async function listEvents(env: Environment, selection: EventSelection): Promise<LoggedEvent[]> {
  let query = env.db.selectFrom('call_events').selectAll().where('account_id', '=', selection.accountId);
  if (selection.stream !== undefined) query = query.where('stream', '=', selection.stream);
  if (selection.callId !== undefined) query = query.where('call_id', '=', selection.callId);
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(selection.limit ?? 50)
    .execute();
  return rows.map(({ due_at, ...event }) => ({
    ...event,
    status: due_at !== null ? 'pending' : event.delivered_at !== null ? 'delivered' : 'failed',
    next_attempt_at: due_at,
  }));
}

/** Restarts the whole retry schedule now. Returns false if the account has no such event. */
export async function replayEvent(env: Environment, accountId: string, id: number): Promise<boolean> {
  const { numUpdatedRows } = await env.db
    .updateTable('call_events')
    .set({ due_at: env.clock.now(), attempts: 0, delivered_at: null })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
