/**
 * Opens a call: counts channels, decides, and inserts the row that holds the channel. Most calls find a free channel, so the
 * first decision assumes that nothing is in use, and one statement counts and inserts the call if it fits. If it does not fit,
 * the statement returns the counts, and the decision is made again with them.
 */
import { type Call, storedCall } from './call.ts';
import type { Counted, InUse } from './channels.ts';
import { ensureMonths } from './months.ts';
import type { CallHost, Direction } from './ports.ts';

/** How many calls a decision allows besides the new one; null for no limit. */
export interface Within {
  number: number | null;
  /** Of the kind of channel that the call takes. */
  channel: number | null;
  trunkGroup: number | null;
  trunk: number | null;
}

/** A decision must refuse whenever it refuses with less in use: a refusal is not checked against the counts. */
export interface Opening<D> {
  counted: Counted;
  decide(inUse: InUse): D;
}

const nothingInUse: InUse = {
  ...{ number_total: 0, included: 0, dedicated: 0, shared: 0, metered: 0, in_group: 0 },
  by_trunk: {},
};

/** A decision fails to fit only if another call took the channel since the count, so more tries mean a fault. */
const mostTries = 100;

/** Returns the result of `decide`. If it contains a call, the call is open; if it is a refusal, nothing was written. */
export async function openCall<C extends Call, D extends { call: C; within: Within } | { code: number }>(
  host: CallHost,
  direction: Direction<C>,
  streams: readonly string[],
  { counted, decide }: Opening<D>,
): Promise<D> {
  await ensureMonths(host.env, 'call_events', host.env.clock.now());
  let inUse = nothingInUse;
  for (let tries = 0; tries < mostTries; tries++) {
    const decision = decide(inUse);
    if (!('call' in decision)) return decision;
    const { call, within } = decision;
    const { rows } = await host.env.pool.query<InUse & { opened: boolean }>({
      name: 'voice_open_call',
      text: openStatement,
      values: [...rowValues(host, direction, call, streams), ...limitValues(counted, within)],
    });
    const [result] = rows;
    if (result === undefined) throw new Error('the statement that opens a call returns one row');
    if (result.opened) {
      wake(host, call, streams);
      return decision;
    }
    inUse = result;
  }
  throw new Error('a call could not be opened: its decision and the limits of its statement disagree');
}

function rowValues<C extends Call>(
  host: CallHost,
  direction: Direction<C>,
  call: C,
  streams: readonly string[],
): unknown[] {
  const holding = direction.holding(call);
  const event = streams.includes(direction.eventStream) ? JSON.stringify(direction.event('start', call)) : null;
  return [
    call.id,
    direction.name,
    call.accountId,
    host.workerId,
    call.state,
    holding.didId,
    holding.channel,
    holding.sharedCapacityGroupId,
    holding.trunkId,
    holding.trunkGroupId,
    call.timeStart,
    storedCall(call, streams),
    direction.eventStream,
    event,
    host.env.clock.now(),
  ];
}

const limitValues = (counted: Counted, within: Within): unknown[] => [
  ...[counted.did, counted.capacityGroup, counted.trunkGroup, counted.trunks],
  ...[within.number, within.channel, within.trunkGroup, within.trunk],
];

/** The counting function takes locks and sees what was committed before it got them; they are held until the insert is committed. */
export const openStatement = `
  with counted as materialized (select * from voice_channels_in_use($16, $17, $18, $19::uuid[])),
  opened as (
    insert into open_calls (id, direction, account_id, worker_id, state, did_id, channel, shared_capacity_group_id,
                            trunk_id, trunk_group_id, time_start, call)
    select $1::text, $2::text, $3::uuid, $4::uuid, $5::text, $6::uuid, $7::text, $8::uuid, $9::uuid, $10::uuid,
           $11::timestamptz, $12::jsonb
    from counted c
    where ($20::int is null or c.number_total < $20)
      and ($21::int is null or case $7 when 'included' then c.included when 'dedicated' then c.dedicated
                                       when 'shared' then c.shared else c.metered end < $21)
      and ($22::int is null or c.in_group < $22)
      and ($23::int is null or coalesce((c.by_trunk->>$9::uuid::text)::int, 0) < $23)
    returning id
  ), event as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select $3, $13, $1, $14, $15, $15 from opened where $14::text is not null
  )
  select c.*, exists (select from opened) as opened from counted c`;

/** Wakes the deliverer after a commit that wrote events, so that delivery does not wait for the next poll. */
export function wake(host: CallHost, call: Call, streams: readonly string[]): void {
  if (call.accountId !== null && streams.length > 0) host.onEvents(call.accountId);
}
