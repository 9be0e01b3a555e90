/**
 * Keeps the requests of the last days for operators. A request appends one entry to a list in memory; the list is written
 * a moment later in one statement, off every request's path. A process that is killed loses that moment, and a list that is
 * full drops entries and counts them.
 */
import { sql } from 'kysely';
import type { Environment } from '../environment.ts';

export interface LoggedRequest {
  at: Date;
  accountId: string | null;
  callerKind: string | null;
  callerId: string | null;
  method: string;
  route: string;
  /** Masked. */
  path: string;
  status: number;
  durationMs: number;
  address: string;
  requestId: string;
}

interface RequestLog {
  note(request: LoggedRequest): void;
  /** How many entries were lost because the database did not keep up. */
  readonly dropped: number;
  /** Writes what is left. */
  close(): Promise<void>;
}

const writtenAfterMs = 1_000;
const mostWaiting = 20_000;
const rowsAtATime = 5_000;
const longestPath = 500;

/** `days` is how long requests are kept. */
export function createRequestLog(env: Environment, days: number): RequestLog {
  let waiting: LoggedRequest[] = [];
  let writing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let dropped = 0;
  const keptUntil = createDays(env, days);

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, rowsAtATime);
      waiting = waiting.slice(rowsAtATime);
      try {
        await keptUntil(batch);
        await insert(env, batch);
      } catch (error) {
        dropped += batch.length;
        env.log.warn({ err: error, requests: batch.length }, 'requests could not be written to the request log');
      }
    }
  }
  function write(): Promise<void> {
    timer = null;
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return writing;
  }

  return {
    note(request) {
      if (waiting.length >= mostWaiting) {
        dropped += 1;
        return;
      }
      waiting.push(request);
      timer ??= setTimeout(() => void write(), writtenAfterMs).unref();
    },
    get dropped() {
      return dropped;
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      await writing;
      await write();
    },
  };
}

/** Makes the partition of a day before its first entry, and drops those that are too old when a new one is made. */
function createDays({ db }: Environment, days: number) {
  const known = new Set<string>();
  return async (batch: readonly LoggedRequest[]): Promise<void> => {
    const byDay = new Map(batch.map(({ at }) => [at.toISOString().slice(0, 10), at]));
    for (const [day, at] of byDay) {
      if (known.has(day)) continue;
      const { rows } = await sql<{ made: boolean }>`select ensure_day_partition('api_requests', ${at}) as made`.execute(
        db,
      );
      known.add(day);
      const before = new Date(at.getTime() - days * 86_400_000);
      if (rows[0]?.made) await sql`select drop_day_partitions('api_requests', ${before})`.execute(db);
    }
  };
}

async function insert({ db }: Environment, batch: readonly LoggedRequest[]): Promise<void> {
  const column = <T>(read: (request: LoggedRequest) => T) => batch.map(read);
  await sql`
    insert into api_requests (at, account_id, caller_kind, caller_id, method, route, path, status, duration_ms, address,
                              request_id)
    select * from unnest(
      ${column(({ at }) => at)}::timestamptz[], ${column(({ accountId }) => accountId)}::uuid[],
      ${column(({ callerKind }) => callerKind)}::text[], ${column(({ callerId }) => callerId)}::uuid[],
      ${column(({ method }) => method)}::text[], ${column(({ route }) => route)}::text[],
      ${column(({ path }) => path.slice(0, longestPath))}::text[], ${column(({ status }) => status)}::int[],
      ${column(({ durationMs }) => durationMs)}::int[], ${column(({ address }) => address)}::text[],
      ${column(({ requestId }) => requestId)}::text[])`.execute(db);
}
