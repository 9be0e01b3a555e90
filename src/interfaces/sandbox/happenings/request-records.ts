/**
 * The requests of clients with their responses, for tests. A request appends one record to a list in memory, which is
 * written a moment later in one statement; who reads has it written first. The newest are kept.
 */
import { type Selectable, sql } from 'kysely';
import type { SandboxRequestsTable } from '../../../engines/db/tables/worlds.ts';
import type { Environment } from '../../../engines/environment.ts';

interface RequestRecord {
  accountId: string;
  at: Date;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  request: string | null;
  response: string | null;
}

const writtenAfterMs = 250;
/** After records were dropped: writing would take a good part of the time of the requests themselves. */
const writtenUnderLoadMs = 2_000;
/** Under load the oldest of them are forgotten: a test looks at a few requests. */
const mostWaiting = 200;
const mostKept = 2_000;

/** One per process and environment; production's stay empty. */
export interface WithRequestRecords {
  readonly requestRecords: RequestRecords;
}

export class RequestRecords {
  readonly #env: Pick<Environment, 'db'>;
  #waiting: (() => RequestRecord)[] = [];
  #timer: NodeJS.Timeout | null = null;
  #dropped = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(env: Pick<Environment, 'db'>) {
    this.#env = env;
  }

  /** `record` makes the record when it is written. */
  note(record: () => RequestRecord): void {
    this.#waiting.push(record);
    if (this.#waiting.length >= 2 * mostWaiting) this.#waiting.splice(0, mostWaiting);
    this.#timer ??= setTimeout(
      () => void this.write().catch(() => undefined),
      this.#dropped ? writtenUnderLoadMs : writtenAfterMs,
    ).unref();
  }

  /** Writes what waits; resolves when everything noted so far can be read. */
  write(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#dropped = this.#waiting.length > mostWaiting;
    const batch = this.#waiting.splice(0).slice(-mostWaiting);
    if (batch.length > 0)
      this.#writing = this.#writing
        .catch(() => undefined)
        .then(() =>
          insert(
            this.#env,
            batch.map((record) => record()),
          ),
        );
    return this.#writing;
  }

  /** The newest of an account's requests, newest first. */
  async list(accountId: string, since: Date | null, limit: number): Promise<Selectable<SandboxRequestsTable>[]> {
    await this.write();
    return this.#env.db
      .selectFrom('sandbox_requests')
      .selectAll()
      .where('account_id', '=', accountId)
      .$if(since !== null, (query) => query.where('at', '>=', since ?? new Date(0)))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }
}

async function insert({ db }: Pick<Environment, 'db'>, batch: readonly RequestRecord[]): Promise<void> {
  const column = <T>(read: (record: RequestRecord) => T) => batch.map(read);
  await sql`
    insert into sandbox_requests (account_id, at, method, path, status, duration_ms, request, response)
    select * from unnest(
      ${column(({ accountId }) => accountId)}::uuid[], ${column(({ at }) => at)}::timestamptz[],
      ${column(({ method }) => method)}::text[], ${column(({ path }) => path)}::text[],
      ${column(({ status }) => status)}::int[], ${column(({ durationMs }) => durationMs)}::int[],
      ${column(({ request }) => request)}::text[], ${column(({ response }) => response)}::text[])`.execute(db);
  await sql`delete from sandbox_requests where id <= (select max(id) - ${mostKept}::bigint from sandbox_requests)`.execute(
    db,
  );
}
