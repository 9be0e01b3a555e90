/** Live events in the database: who is watched, what was written, and what is no longer needed. */
import { sql } from 'kysely';
import type { Environment } from '../../engines/environment.ts';

/** Stands for operators, who look at every account. */
export const everyAccount = '00000000-0000-0000-0000-000000000000';

export interface LiveEvent {
  id: string;
  accountId: string;
  topic: string;
  subject: string;
}

/** Longer than a client needs to come back after its connection was cut. */
const forgottenAfterSeconds = 120;
const mostKept = 10_000;

/**
 * Has the events of an account written from now on. `since` is the first transaction whose events are surely written.
 */
export async function watch(env: Environment, accountId: string, waitMs = longestWaitMs): Promise<Watched> {
  const now = env.clock.now();
  const { rows } = await sql<Omit<Watched, 'isSure'>>`
    insert into panel_watchers (account_id, since, seen_at)
    values (${accountId}, pg_current_xact_id()::text::bigint + 1, ${now})
    on conflict (account_id) do update set seen_at = excluded.seen_at
    returning since::text, xmax = 0 as "isNew"`.execute(env.db);
  const [row] = rows;
  if (row === undefined) throw new Error('a watcher was not stored');
  return { ...row, isSure: !row.isNew || (await untilOthersSeeIt(env, waitMs)) };
}

interface Watched {
  since: string;
  isNew: boolean;
  /** Whether every transaction that does not see a new watcher has ended. */
  isSure: boolean;
}

/**
 * Where a stream begins for a page that reads everything from now on, so that it need not read it twice: what ended
 * before is in what it reads. Null if a transaction that takes long leaves that open; the stream then asks the page to
 * read anew.
 */
export async function startOfEvents(env: Environment, accountId: string): Promise<string | null> {
  const { since, isNew, isSure } = await watch(env, accountId, shortWaitMs);
  if (isNew) return isSure ? since : null;
  const { horizon } = await readEvents(env, null, []);
  return BigInt(horizon) < BigInt(since) ? null : horizon;
}

/**
 * A transaction that began before does not see the new watcher, and may commit what it has changed without an event.
 * Only those of this database are waited for: the horizon also counts the others of the server, which may take long.
 */
async function untilOthersSeeIt(env: Environment, waitMs: number): Promise<boolean> {
  const begun = performance.now();
  let open = await openTransactions(env);
  while (open.length > 0 && performance.now() - begun < waitMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const now = new Set(await openTransactions(env));
    open = open.filter((id) => now.has(id));
  }
  return open.length === 0;
}

const longestWaitMs = 5_000;
/** Of somebody who looks at an empty page meanwhile. */
const shortWaitMs = 150;

/** Those that have written something, whoever they belong to: their locks are seen by every role. */
async function openTransactions(env: Environment): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.transactionid::text as id from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and a.datname = current_database()
      and l.pid <> pg_backend_pid()`.execute(env.db);
  return rows.map(({ id }) => id);
}

/**
 * Events from a transaction on, and the transaction to go on from: the oldest that is still open. One snapshot for
 * both.
 */
export async function readEvents(
  env: Environment,
  from: string | null,
  accounts: readonly string[],
): Promise<{ horizon: string; events: LiveEvent[] }> {
  const { rows } = await sql<{ horizon: string; events: LiveEvent[] | null }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
      (select json_agg(json_build_object(
         'id', e.id::text, 'accountId', e.account_id, 'topic', e.topic, 'subject', e.subject) order by e.id)
       from panel_events e
       where e.transaction >= ${from}::bigint
         and (${everyAccount}::uuid = any(${[...accounts]}::uuid[]) or e.account_id = any(${[...accounts]}::uuid[]))
      ) as events`.execute(env.db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no snapshot');
  return { horizon: row.horizon, events: row.events ?? [] };
}

/**
 * Deletes watchers that are late and all but the newest events; for the other watchers what is deleted was not kept.
 */
export async function cleanEvents(env: Environment): Promise<void> {
  const late = new Date(env.clock.now().getTime() - forgottenAfterSeconds * 1000);
  await env.db.deleteFrom('panel_watchers').where('seen_at', '<', late).execute();
  await sql`
    with old as (
      delete from panel_events
      where id <= (select max(id) from panel_events) - ${mostKept}::int or not exists (select from panel_watchers)
      returning transaction)
    update panel_watchers set since = greatest(since, (select max(transaction) + 1 from old))
    where exists (select from old)`.execute(env.db);
}
