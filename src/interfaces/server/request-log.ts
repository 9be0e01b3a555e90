/**
 * Keeps the requests of the last days for operators. A request appends one entry to a list in memory; the list is
 * written a moment later in one statement, off every request's path. A process that is killed loses that moment, and a
 * list that is full drops entries and counts them.
 */
import { sql } from 'kysely';
import type { Environment } from '../../engines/environment.ts';

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
  const partitions = new DayPartitions(env, days);

  async function insertWhereKept(batch: readonly LoggedRequest[]): Promise<void> {
    const kept = await partitions.prepare(batch);
    await insert(env, kept).catch(async () => {
      // A process that had reached a later time may have dropped a day of ours.
      partitions.forget();
      await insert(env, await partitions.prepare(kept));
    });
  }
  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, rowsAtATime);
      waiting = waiting.slice(rowsAtATime);
      try {
        await insertWhereKept(batch);
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

const dayMs = 86_400_000;
const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs);

/** The partitions of days: there before the first entry of a day, dropped when they are too old. */
class DayPartitions {
  readonly #env: Environment;
  readonly #days: number;
  #known = new Set<number>();
  #newest = Number.NEGATIVE_INFINITY;

  constructor(env: Environment, days: number) {
    this.#env = env;
    this.#days = days;
  }

  /**
   * Makes what these entries need, and returns those that are kept: between two of them the clock of a sandbox may have
   * gone on by years, and what is too old for the newest is dropped at once.
   */
  async prepare(batch: readonly LoggedRequest[]): Promise<LoggedRequest[]> {
    for (const { at } of batch) this.#newest = Math.max(this.#newest, dayOf(at));
    const oldest = this.#newest - this.#days;
    const kept = batch.filter(({ at }) => dayOf(at) >= oldest);
    const missing = new Map(kept.map(({ at }) => [dayOf(at), at]));
    let isNew = false;
    for (const [day, at] of missing) {
      if (this.#known.has(day)) continue;
      const { rows } = await sql<{ made: boolean }>`select ensure_day_partition('api_requests', ${at}) as made`.execute(
        this.#env.db,
      );
      isNew ||= rows[0]?.made === true;
      this.#known.add(day);
    }
    if (isNew) {
      await sql`select drop_day_partitions('api_requests', ${new Date(oldest * dayMs)})`.execute(this.#env.db);
      this.#known = new Set([...this.#known].filter((day) => day >= oldest));
    }
    return kept;
  }

  forget(): void {
    this.#known.clear();
  }
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
