/** Opens a call: counts channels, decides, and inserts the row that holds the channel, in one transaction. */
import type { PoolClient } from 'pg';
import { type Call, storedCall } from './call.ts';
import { withLocks } from './channels.ts';
import { ensureMonths } from './months.ts';
import type { CallHost, Direction } from './ports.ts';

/** Returns the result of `decide`. If it contains a call, the call is open; if it is a refusal, nothing was written. */
export async function openCall<C extends Call, D extends { call: C } | { code: number }>(
  host: CallHost,
  direction: Direction<C>,
  streams: readonly string[],
  decide: (client: PoolClient) => Promise<D>,
): Promise<D> {
  await ensureMonths(host.env, 'call_events', host.env.clock.now());
  const decided = await withLocks(
    host.env,
    async (client) => {
      const decision = await decide(client);
      if ('call' in decision) await insert(client, host, direction, decision.call, streams);
      return decision;
    },
    (decision) => 'call' in decision,
  );
  if ('call' in decided) wake(host, decided.call, streams);
  return decided;
}

async function insert<C extends Call>(
  client: PoolClient,
  host: CallHost,
  direction: Direction<C>,
  call: C,
  streams: readonly string[],
): Promise<void> {
  const holding = direction.holding(call);
  const event = streams.includes(direction.eventStream) ? JSON.stringify(direction.event('start', call)) : null;
  await client.query({
    name: 'voice_open_call',
    text: openStatement,
    values: [
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
    ],
  });
}

export const openStatement = `
  with opened as (
    insert into open_calls (id, direction, account_id, worker_id, state, did_id, channel, shared_capacity_group_id,
                            trunk_id, trunk_group_id, time_start, call)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  )
  insert into call_events (account_id, stream, call_id, body, created_at, due_at)
  select $3, $13, $1, $14, $15, $15 where $14::text is not null`;

/** Wakes the deliverer after a commit that wrote events, so that delivery does not wait for the next poll. */
export function wake(host: CallHost, call: Call, streams: readonly string[]): void {
  if (call.accountId !== null && streams.length > 0) host.onEvents(call.accountId);
}
