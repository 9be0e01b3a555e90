/**
 * The faults of an environment: stored in its database, kept in memory by every process, and counted as they happen.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Changes } from '../../../engines/db/changes.ts';
import { type Kept, keepUntilChanged } from '../../../engines/db/kept.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { FaultsTable } from '../../../engines/db/tables/faults.ts';
import type { DomainFault, InjectedFaults, TakenFault } from '../../../engines/injected-faults.ts';

export interface FaultMatch {
  readonly method?: string;
  /** `*` stands for any characters of one segment, a `*` at the end for all that follow. */
  readonly path?: string;
  /** The digest of an API key. */
  readonly api_key_hash?: string;
}

export interface FaultAction {
  readonly status?: number;
  readonly delay_ms?: number;
  readonly drop?: true | 'response';
  readonly truncate?: true;
  readonly rate_limit?: true;
  readonly error?: string;
  readonly fault?: DomainFault;
  readonly seconds?: number;
}

export interface Fault extends Omit<Selectable<FaultsTable>, 'match' | 'action'> {
  readonly match: FaultMatch;
  readonly action: FaultAction;
}

interface NewFault {
  match: FaultMatch;
  action: FaultAction;
  times: number | null;
  probability: number;
  seed: number | null;
}

export class StoredFaults implements InjectedFaults {
  readonly #db: Kysely<Schema>;
  readonly #kept: Kept<readonly Fault[]>;

  constructor(db: Kysely<Schema>, changes: Changes) {
    this.#db = db;
    this.#kept = keepUntilChanged<readonly Fault[]>(changes, { outdatedBy: { fault: () => true } });
  }

  /** All that were asked for, oldest first, whether or not they have any time left. */
  async list(accountId: string): Promise<Fault[]> {
    return (await this.#load()).filter((fault) => fault.account_id === accountId);
  }

  /** Whether there is any, from memory; undefined if that is not known without asking the database. */
  get hasAny(): boolean | undefined {
    const known = this.#kept.peek('all');
    return known === undefined ? undefined : known.length > 0;
  }

  async add(accountId: string, { match, action, times, probability, seed }: NewFault, at: Date): Promise<Fault> {
    const row = await this.#db
      .insertInto('faults')
      .values({
        id: randomUUID(),
        account_id: accountId,
        match: JSON.stringify(match),
        action: JSON.stringify(action),
        times_left: times,
        probability: String(probability),
        seed: seed ?? randomInt(2 ** 31),
        created_at: at,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await this.#refresh();
    return asFault(row);
  }

  /** False if the account has no such fault. */
  async remove(accountId: string, id: string | null): Promise<boolean> {
    const removed = await this.#db
      .deleteFrom('faults')
      .where('account_id', '=', accountId)
      .$if(id !== null, (query) => query.where('id', '=', id ?? ''))
      .executeTakeFirst();
    await this.#refresh();
    return removed.numDeletedRows > 0n;
  }

  async mayHappen(names: readonly DomainFault[], accountId: string): Promise<boolean> {
    const known = await this.#kept.read('all', () => this.#load());
    const named = known.filter((fault) => fault.account_id === accountId && isNamed(fault, names));
    if (named.length === 0) return false;
    // What is left of them is counted in the database only.
    const left = await this.#db
      .selectFrom('faults')
      .select('id')
      .where(
        'id',
        'in',
        named.map(({ id }) => id),
      )
      .where(sql<boolean>`coalesce(times_left, 1) > 0`)
      .executeTakeFirst();
    return left !== undefined;
  }

  async take(names: readonly DomainFault[], accountId: string, db?: Kysely<Schema>): Promise<TakenFault | null> {
    const fault = await this.takeFirst(accountId, (each) => isNamed(each, names), db);
    if (fault?.action.fault === undefined) return null;
    return { name: fault.action.fault, seconds: fault.action.seconds ?? null };
  }

  /**
   * The first matching fault that the draw hits. Its times are counted in the database, so two processes never share
   * one.
   */
  async takeFirst(accountId: string, isWanted: (fault: Fault) => boolean, db = this.#db): Promise<Fault | null> {
    const known = await this.#kept.read('all', () => this.#load());
    for (const fault of known) {
      if (fault.account_id === accountId && isWanted(fault) && (await draw(db, fault.id))) return fault;
    }
    return null;
  }

  /** Not only at the notification, so that the process that was asked for a fault has it in its very next request. */
  #refresh(): Promise<readonly Fault[]> {
    return this.#kept.refresh('all', () => this.#load());
  }

  async #load(): Promise<readonly Fault[]> {
    return (await this.#db.selectFrom('faults').selectAll().orderBy('seq').execute()).map(asFault);
  }
}

const isNamed = ({ action }: Fault, names: readonly DomainFault[]): boolean =>
  action.fault !== undefined && names.includes(action.fault);

const asFault = (row: Selectable<FaultsTable>): Fault => ({
  ...row,
  match: Object(row.match),
  action: Object(row.action),
});

/** Whether the fault happens this time. Draws are numbered, and each is decided by its number and the seed. */
async function draw(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { rows } = await sql<{ hit: boolean }>`
    with drawn as (
      select id, ('x' || left(encode(sha256(convert_to(seed || ':' || draws, 'UTF8')), 'hex'), 8))::bit(32)::bigint
                   < probability * 4294967296 as hit
      from faults where id = ${id} and coalesce(times_left, 1) > 0 for update
    )
    update faults f set draws = draws + 1, hits = hits + drawn.hit::int, times_left = times_left - drawn.hit::int
    from drawn where f.id = drawn.id returning drawn.hit`.execute(db);
  return rows[0]?.hit ?? false;
}
