/**
 * Ends calls from any process: by id, by trunk, or by the process that carries them, which is notified through the
 * database.
 */
import { sql } from 'kysely';
import { isUnavailable } from '../../engines/db/unavailable.ts';
import type { Environment } from '../../engines/environment.ts';
import { handle, type TaskContext } from '../../engines/jobs/handler.ts';
import { parseAmount } from '../money/decimal.ts';
import { type Call, type Disconnect, readCall, type StoredDialog } from './call.ts';
import { endCall } from './end-call.ts';
import type { InboundCall } from './inbound/call.ts';
import { inbound } from './inbound/direction.ts';
import { momentOf } from './moment.ts';
import type { OutboundCall } from './outbound/call.ts';
import { outbound } from './outbound/direction.ts';
import type { CallEnd, Direction } from './ports.ts';
import { endAccountCallsTask } from './schedule-end.ts';
import { closeTrace } from './trace/write-traces.ts';

type AnyCall = InboundCall | OutboundCall;

/** Returns the ended call, or null if it has ended already. */
export async function endCallById(
  env: Environment,
  id: string,
  disconnect: Disconnect,
  at: (call: Call) => Date,
): Promise<AnyCall | null> {
  return (await endAs(env, id, (call) => ({ disconnect, at: at(call) })))?.call ?? null;
}

/** A call that was ended here, and what is known of its legs. */
export interface EndedElsewhere {
  call: AnyCall;
  dialogs: readonly StoredDialog[];
}

/** The same for who knows its end only from how it is stored, or wants to hang up its legs. */
export async function endAs(
  env: Environment,
  id: string,
  how: (call: Call) => CallEnd,
): Promise<EndedElsewhere | null> {
  // Repeats if the carrying process changed the call (it was answered, it was rerouted) after it was read here.
  for (;;) {
    const row = await env.db
      .selectFrom('open_calls')
      .select(['direction', 'call', 'held', sql<string>`xmin`.as('version')])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const end = async <C extends Call>(direction: Direction<C>) => {
      const { call, streams, dialogs } = readCall<C>(row.call);
      const { disconnect, at } = how(call);
      const open = { call, streams, held: parseAmount(row.held) };
      const endedCall = await endCall(env, direction, open, disconnect, at, row.version);
      return endedCall && { call: endedCall, dialogs };
    };
    const endedHere = row.direction === 'in' ? await end(inbound) : await end(outbound);
    if (endedHere === null) continue;
    await closeTrace(env, endedHere.call);
    return endedHere;
  }
}

const trunkDeleted: Disconnect = { code: 403, reason: 'Forbidden', initiator: 'switch' };

/** Ends the calls of trunks that were deleted, of either direction. */
export function endCallsOfTrunks(env: Environment, trunkIds: readonly string[]): Promise<number> {
  return endCallsWhere(env, { trunkIds }, trunkDeleted, () => momentOf(env.clock));
}

/** Ends calls whose trunk was deleted while they began, or by a process that died before it ended them. */
export function endCallsWithoutTrunk(env: Environment): Promise<number> {
  return endCallsWhere(env, 'without trunk', trunkDeleted, () => momentOf(env.clock));
}

/** Ends the calls of an account that was suspended, unless it has been resumed meanwhile. */
export const endAccountCalls = handle(
  endAccountCallsTask,
  async ({ account_id }, { env }: TaskContext<Environment>) => {
    const disconnect: Disconnect = { code: 403, reason: 'Account is suspended', initiator: 'switch' };
    await endCallsWhere(env, { suspendedAccountId: account_id }, disconnect, () => momentOf(env.clock));
  },
);

export type Which =
  | { suspendedAccountId: string }
  | { trunkIds: readonly string[] }
  /** `withoutLegs`: only those that no BYE can end. */
  | { workerId: string; withoutLegs?: true }
  | { startedBefore: Date }
  | 'without trunk';

/**
 * So many ends are written at a time: a suspended account may have thousands of calls, and others need connections too.
 */
const endedAtOnce = 4;

/** Returns how many calls it ended. */
export async function endCallsWhere(
  env: Environment,
  which: Which,
  disconnect: Disconnect,
  at: (call: Call) => Date,
): Promise<number> {
  return (await endEach(env, which, (call) => ({ disconnect, at: at(call) }))).length;
}

/** Returns what it ended. One call whose end cannot be written does not keep the others open. */
export async function endEach(env: Environment, which: Which, how: (call: Call) => CallEnd): Promise<EndedElsewhere[]> {
  const calls = await env.db.selectFrom('open_calls').select('id').where(condition(which)).execute();
  const ids = calls.map(({ id }) => id).values();
  const ended: EndedElsewhere[] = [];
  const endOne = async (id: string) => {
    try {
      const endedCall = await endAs(env, id, how);
      if (endedCall !== null) ended.push(endedCall);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      env.log.error({ err: error, call: id }, 'a call could not be ended');
    }
  };
  const endOnes = async () => {
    for (const id of ids) await endOne(id);
  };
  await Promise.all(Array.from({ length: Math.min(endedAtOnce, calls.length) }, endOnes));
  return ended;
}

function condition(which: Which) {
  if (which === 'without trunk') {
    return sql<boolean>`not exists (select 1 from voice_in_trunks t where t.id = trunk_id)
      and not exists (select 1 from voice_out_trunks t where t.id = trunk_id)`;
  }
  if ('suspendedAccountId' in which) {
    return sql<boolean>`account_id = (
      select a.id from accounts a where a.id = ${which.suspendedAccountId} and a.suspended_at is not null)`;
  }
  if ('trunkIds' in which) return sql<boolean>`trunk_id = any(${which.trunkIds}::uuid[])`;
  if ('workerId' in which) {
    const { workerId, withoutLegs = false } = which;
    return sql<boolean>`worker_id = ${workerId} and (not ${withoutLegs}::boolean or call->'dialogs' is null)`;
  }
  return sql<boolean>`time_start < ${which.startedBefore}`;
}
