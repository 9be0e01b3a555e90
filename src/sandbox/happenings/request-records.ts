/**
 * The requests of clients with their responses, for tests. A request appends one record to a list in memory, which is
 * written a moment later in one statement; who reads has it written first. The newest are kept.
 */
import { type Selectable, sql } from 'kysely';
import type { SandboxRequestsTable } from '../../db/tables/worlds.ts';
import type { Environment } from '../../environment.ts';

export interface RequestRecord {
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
/** Under load the oldest of them are forgotten: a test looks at a few requests. */
const mostWaiting = 200;
const mostKept = 2_000;

const recordsOfEnvironments = new WeakMap<Environment, RequestRecords>();

export function requestRecordsOf(env: Environment): RequestRecords {
  const records = recordsOfEnvironments.get(env) ?? new RequestRecords(env);
  recordsOfEnvironments.set(env, records);
  return records;
}

export class RequestRecords {
  readonly #env: Environment;
  #waiting: RequestRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(env: Environment) {
    this.#env = env;
  }

  note(record: RequestRecord): void {
    this.#waiting.push(record);
    if (this.#waiting.length > mostWaiting) this.#waiting.shift();
    this.#timer ??= setTimeout(() => void this.write().catch(() => undefined), writtenAfterMs).unref();
  }

  /** Writes what waits; resolves when everything noted so far can be read. */
  write(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const batch = this.#waiting.splice(0);
    if (batch.length > 0) this.#writing = this.#writing.catch(() => undefined).then(() => insert(this.#env, batch));
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

async function insert({ db }: Environment, batch: readonly RequestRecord[]): Promise<void> {
  const rows = batch.map(({ accountId, durationMs, ...record }) => ({
    account_id: accountId,
    duration_ms: durationMs,
    ...record,
  }));
  await db.insertInto('sandbox_requests').values(rows).execute();
  await sql`delete from sandbox_requests where id <= (select max(id) - ${mostKept} from sandbox_requests)`.execute(db);
}
