/** The rows of worlds and snapshots in the sandbox's database: what all processes agree on. */
import { randomBytes } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { machineClock } from '../clock.ts';
import { locks } from '../db/locks.ts';
import type { Schema } from '../db/schema.ts';
import type { WorldSnapshotsTable, WorldsTable } from '../db/tables/worlds.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Environment } from '../environment.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import type { Credentials } from './credentials.ts';
import { requireRoom, type WorldCounts, type WorldLimits } from './limits.ts';

export type WorldRow = Selectable<WorldsTable>;
export type SnapshotRow = Selectable<WorldSnapshotsTable>;

/** Whose world it is, and how it is recognised. */
export interface Ownership {
  accountId: string;
  origin: string;
  name: string | null;
  /** Whether it has SIP of its own. */
  sip: boolean;
}

export const newWorldId = (): string => randomBytes(8).toString('hex');

export class WorldRegistry {
  readonly #env: Environment;
  readonly #limits: WorldLimits;

  constructor(env: Environment, limits: WorldLimits) {
    this.#env = env;
    this.#limits = limits;
  }

  /** Before its database is made. */
  async begin(id: string, template: string): Promise<void> {
    const now = machineClock.now();
    await this.#env.db
      .insertInto('worlds')
      .values({ id, state: 'making', template, created_at: now, used_at: now })
      .execute();
  }

  async markReady(id: string): Promise<void> {
    await this.#env.db.updateTable('worlds').set({ state: 'ready' }).where('id', '=', id).execute();
  }

  /** Gives a ready clone of this template to an account. Null if there is none. Two processes never get the same one. */
  takeReady(template: string, owner: Ownership): Promise<string | null> {
    return this.#ifThereIsRoom(owner, async (trx) => {
      const { rows } = await sql<{ id: string }>`
        update worlds set ${this.#owned(owner)}
        where id = (select id from worlds where state = 'ready' and template = ${template}
                    order by created_at limit 1 for update skip locked)
        returning id`.execute(trx);
      return rows[0]?.id ?? null;
    });
  }

  async take(id: string, owner: Ownership): Promise<void> {
    await this.#ifThereIsRoom(owner, (trx) =>
      sql`update worlds set ${this.#owned(owner)} where id = ${id}`.execute(trx),
    );
  }

  /** Throws NoRoomForWorld. Accounts take worlds one after another, so that many requests at once stay within the limits. */
  #ifThereIsRoom<T>({ accountId, sip }: Ownership, take: (trx: Kysely<Schema>) => Promise<T>): Promise<T> {
    return inTransaction(this.#env.db, async (trx) => {
      await sql`select pg_advisory_xact_lock(${locks.worlds})`.execute(trx);
      requireRoom(await countsIn(trx, accountId), this.#limits, sip);
      return take(trx);
    });
  }

  #owned({ accountId, origin, name, sip }: Ownership) {
    const now = machineClock.now();
    return sql`state = 'used', account_id = ${accountId}, origin = ${origin}, name = ${name}, created_at = ${now},
      used_at = ${now}, sip_port = ${sip ? 0 : null}`;
  }

  /** Throws NoRoomForWorld before anything is made. */
  async requireRoom(accountId: string, wantsSip: boolean): Promise<void> {
    requireRoom(await countsIn(this.#env.db, accountId), this.#limits, wantsSip);
  }

  async setSipPort(id: string, port: number): Promise<void> {
    await this.#env.db.updateTable('worlds').set({ sip_port: port }).where('id', '=', id).execute();
  }

  async listWithSip(): Promise<WorldRow[]> {
    return this.#used().where('sip_port', 'is not', null).execute();
  }

  async setCredentials(id: string, { apiKeyHash, application, rows }: Credentials): Promise<void> {
    await this.#env.db
      .updateTable('worlds')
      .set({ api_key_hash: apiKeyHash, application_key: application.key, credentials: JSON.stringify(rows) })
      .where('id', '=', id)
      .execute();
  }

  /** A world that somebody has. */
  async find(id: string): Promise<WorldRow | null> {
    const row = await this.#used().where('id', '=', id).executeTakeFirst();
    return row ?? null;
  }

  /** The worlds by their keys: `api:<hash in hex>` and `otp:<key>`. */
  async keys(): Promise<ReadonlyMap<string, string>> {
    const worlds = await this.#used().select(['api_key_hash', 'application_key']).execute();
    return new Map(
      worlds.flatMap(({ id, api_key_hash, application_key }): [string, string][] =>
        api_key_hash === null
          ? []
          : [
              [`api:${api_key_hash.toString('hex')}`, id],
              [`otp:${application_key}`, id],
            ],
      ),
    );
  }

  /** The clones of a database, whether somebody has them or not. */
  async clonesOf(database: string): Promise<Pick<WorldRow, 'id' | 'state'>[]> {
    return this.#env.db.selectFrom('worlds').select(['id', 'state']).where('template', '=', database).execute();
  }

  async listOf(accountId: string): Promise<WorldRow[]> {
    return this.#used().where('account_id', '=', accountId).orderBy('created_at').orderBy('id').execute();
  }

  #used() {
    return this.#env.db.selectFrom('worlds').selectAll().where('state', '=', 'used');
  }

  async countReady(template: string): Promise<number> {
    const { rows } = await sql<{ ready: number }>`
      select count(*)::int as ready from worlds where template = ${template} and state in ('ready', 'making')`.execute(
      this.#env.db,
    );
    return rows[0]?.ready ?? 0;
  }

  async noteUse(ids: readonly string[]): Promise<void> {
    await this.#env.db
      .updateTable('worlds')
      .set({ used_at: machineClock.now() })
      .where('id', 'in', [...ids])
      .execute();
  }

  /** From now on nobody gets it; `forget` follows when its database is gone. Null if it was no longer there. */
  async beginEnd(id: string): Promise<Pick<WorldRow, 'template'> | null> {
    const ended = await this.#env.db
      .updateTable('worlds')
      .set({ state: 'ending', api_key_hash: null, application_key: null })
      .where('id', '=', id)
      .returning('template')
      .executeTakeFirst();
    return ended ?? null;
  }

  async forget(id: string): Promise<void> {
    await this.#env.db.deleteFrom('worlds').where('id', '=', id).execute();
  }

  /** What has to be dropped: unused for too long, given up while it was made or ended, or a clone of an outdated template. */
  async outdated(limits: { idleMs: number; abandonedMs: number; templates: readonly string[] }): Promise<string[]> {
    const now = machineClock.now().getTime();
    const rows = await this.#env.db
      .selectFrom('worlds')
      .select('id')
      .where((where) =>
        where.or([
          where.and([where('state', '=', 'used'), where('used_at', '<', new Date(now - limits.idleMs))]),
          where.and([
            where('state', 'in', ['making', 'ending']),
            where('used_at', '<', new Date(now - limits.abandonedMs)),
          ]),
          where.and([where('state', '=', 'ready'), where('template', 'not in', [...limits.templates])]),
        ]),
      )
      .execute();
    return rows.map(({ id }) => id);
  }

  async allIds(): Promise<string[]> {
    return (await this.#env.db.selectFrom('worlds').select('id').execute()).map(({ id }) => id);
  }

  /** False if the account already has a snapshot of this name. */
  async addSnapshot(id: string, accountId: string, name: string): Promise<boolean> {
    try {
      await this.#env.db
        .insertInto('world_snapshots')
        .values({ id, account_id: accountId, name, created_at: machineClock.now() })
        .execute();
      return true;
    } catch (error) {
      if (violatedConstraint(error) === 'world_snapshots_name') return false;
      throw error;
    }
  }

  async findSnapshot(accountId: string, name: string): Promise<SnapshotRow | null> {
    return (
      (await this.#snapshots().where('account_id', '=', accountId).where('name', '=', name).executeTakeFirst()) ?? null
    );
  }

  /** Null: of all accounts. */
  async listSnapshots(accountId: string | null): Promise<SnapshotRow[]> {
    return this.#snapshots()
      .$if(accountId !== null, (query) => query.where('account_id', '=', accountId))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  async removeSnapshot(id: string): Promise<void> {
    await this.#env.db.deleteFrom('world_snapshots').where('id', '=', id).execute();
  }

  #snapshots() {
    return this.#env.db.selectFrom('world_snapshots').selectAll();
  }
}

async function countsIn(db: Kysely<Schema>, accountId: string): Promise<WorldCounts> {
  const { rows } = await sql<WorldCounts>`
    select count(*)::int as "all", (count(*) filter (where account_id = ${accountId}))::int as own, count(sip_port)::int as sip
    from worlds where state = 'used'`.execute(db);
  return rows[0] ?? { all: 0, own: 0, sip: 0 };
}
