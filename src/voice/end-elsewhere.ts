/**
 * Ends calls from any process: by id, by trunk, or by the process that carries them, which is notified through the
 * database.
 */
import type { Environment } from '../environment.ts';
import { type Call, type Disconnect, readCall } from './call.ts';
import { endCall } from './end-call.ts';
import type { InboundCall } from './inbound/call.ts';
import { inbound } from './inbound/direction.ts';
import type { OutboundCall } from './outbound/call.ts';
import { outbound } from './outbound/direction.ts';

export type AnyCall = InboundCall | OutboundCall;

/** Returns the ended call, or null if it has ended already. */
export async function endCallById(
  env: Environment,
  id: string,
  disconnect: Disconnect,
  at: (call: Call) => Date,
): Promise<AnyCall | null> {
  const row = await env.db
    .selectFrom('open_calls')
    .select(['direction', 'call'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const options = { notifyCarrier: true };
  if (row.direction === 'in') {
    const { call, streams } = readCall<InboundCall>(row.call);
    return endCall(env, inbound, call, streams, disconnect, at(call), options);
  }
  const { call, streams } = readCall<OutboundCall>(row.call);
  return endCall(env, outbound, call, streams, disconnect, at(call), options);
}

export type Which = { trunkId: string } | { workerId: string } | { startedBefore: Date };

/** Returns how many calls it ended. */
export async function endCallsWhere(
  env: Environment,
  which: Which,
  disconnect: Disconnect,
  at: (call: Call) => Date,
): Promise<number> {
  const calls = await env.db
    .selectFrom('open_calls')
    .select('id')
    .where((eb) =>
      'trunkId' in which
        ? eb('trunk_id', '=', which.trunkId)
        : 'workerId' in which
          ? eb('worker_id', '=', which.workerId)
          : eb('time_start', '<', which.startedBefore),
    )
    .execute();
  let count = 0;
  for (const { id } of calls) {
    if ((await endCallById(env, id, disconnect, at)) !== null) count += 1;
  }
  return count;
}
