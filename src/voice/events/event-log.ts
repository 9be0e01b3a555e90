/** The log of an account's events, and replaying one of them. */
import type { Selectable } from 'kysely';
import type { CallEventsTable, StreamName } from '../../db/tables/voice.ts';
import type { Environment } from '../../environment.ts';

export interface LoggedEvent extends Omit<Selectable<CallEventsTable>, 'due_at'> {
  status: 'pending' | 'delivered' | 'failed';
  next_attempt_at: Date | null;
}

export interface EventSelection {
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
