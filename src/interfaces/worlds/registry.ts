/** The rows of worlds in the sandbox's database: what all processes agree on. */
import { randomBytes } from 'node:crypto';
import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { machineClock } from '../../base/clock.ts';
import { locks } from '../../engines/db/locks.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { WorldsTable } from '../../engines/db/tables/worlds.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import type { Credentials } from './credentials.ts';
import { requireRoom, type WorldCounts, type WorldLimits } from './limits.ts';

export type WorldRow = Selectable<WorldsTable>;
export type EndedWorld = Pick<WorldRow, 'id' | 'template'>;

/** Whose world it is, and how it is recognised. */
export interface Ownership {
  accountId: string;
  origin: string;
  name: string | null;
  /** Whether it has SIP of its own. */
  sip: boolean;
  /** Whether it holds all accounts of the sandbox. */
  whole: boolean;
  credentials: Credentials;
}

interface OutdatedWorlds {
  /** A world that somebody has ends when it was not used for this long. */
  idleMs: number;
  /** One that is not made or dropped after this was given up by a process that is gone. */
  abandonedMs: number;
  /** The databases that ready ones may be clones of. */
  templates: readonly string[];
}

/** How keys are named where worlds are found by them. */
export const keyNames = {
  api: (hash: Buffer): string => `api ${hash.toString('base64')}`,
  application: (key: string): string => `otp ${key}`,
};

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

  /**
   * Gives a ready clone of this template to an account. Null if there is none. Two processes never get the same one.
   * The newest comes first: it may end before PostgreSQL has brought it to disk, which costs more than making it.
   */
  takeReady(template: string, owner: Ownership): Promise<string | null> {
    return this.#ifThereIsRoom(owner, async (trx) => {
      const { rows } = await sql<{ id: string }>`
        update worlds set ${this.#owned(owner)}
        where id = (select id from worlds where state = 'ready' and template = ${template}
                    order by created_at desc limit 1 for update skip locked)
        returning id`.execute(trx);
      return rows[0]?.id ?? null;
    });
  }

  async take(id: string, owner: Ownership): Promise<void> {
    await this.#ifThereIsRoom(owner, (trx) =>
      sql`update worlds set ${this.#owned(owner)} where id = ${id}`.execute(trx),
    );
  }

  /**
   * Throws NoRoomForWorld. Accounts take worlds one after another, so that many requests at once stay within the
   * limits.
   */
  #ifThereIsRoom<T>({ accountId, sip }: Ownership, take: (trx: Kysely<Schema>) => Promise<T>): Promise<T> {
    return inTransaction(this.#env.db, async (trx) => {
      await sql`select pg_advisory_xact_lock(${locks.worlds})`.execute(trx);
      requireRoom(await countsIn(trx, accountId), this.#limits, sip);
      return take(trx);
    });
  }

  #owned({ accountId, origin, name, sip, whole, credentials: { apiKeyHash, application, stored } }: Ownership) {
    const now = machineClock.now();
    return sql`state = 'used', account_id = ${accountId}, origin = ${origin}, name = ${name}, whole = ${whole}, created_at = ${now},
      used_at = ${now}, sip_port = ${sip ? 0 : null}, api_key_hash = ${apiKeyHash}, application_key = ${application.key},
      credentials = ${JSON.stringify(stored)}`;
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

  /** A world that somebody has. */
  async find(id: string): Promise<WorldRow | null> {
    const row = await this.#used().where('id', '=', id).executeTakeFirst();
    return row ?? null;
  }

  /** The ids of worlds by the names of their keys. Those of a suspended or closed account answer nobody. */
  async keys(): Promise<ReadonlyMap<string, string>> {
    const worlds = await this.#env.db
      .selectFrom('worlds')
      .innerJoin('accounts', 'accounts.id', 'worlds.account_id')
      .select(['worlds.id', 'api_key_hash', 'application_key'])
      .where('state', '=', 'used')
      .where('suspended_at', 'is', null)
      .execute();
    return new Map(
      worlds.flatMap(({ id, api_key_hash, application_key }): [string, string][] =>
        api_key_hash === null || application_key === null
          ? []
          : [
              [keyNames.api(api_key_hash), id],
              [keyNames.application(application_key), id],
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

  /** The worlds of an account, and clones of these databases that are kept ready. */
  async idsOf(accountId: string, templates: readonly string[]): Promise<string[]> {
    const rows = await this.#env.db
      .selectFrom('worlds')
      .select('id')
      .where('state', '!=', 'ending')
      .where((where) => where.or([where('account_id', '=', accountId), where('template', 'in', [...templates, ''])]))
      .execute();
    return rows.map(({ id }) => id);
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
  async beginEnd(id: string): Promise<EndedWorld | null> {
    const [ended] = await this.#beginEnds((where) => where('id', '=', id));
    return ended ?? null;
  }

  /**
   * The same for what has to be dropped: unused for too long, given up while it was made or ended, or a clone of an
   * outdated template. In one statement, so that none of them is given to somebody meanwhile.
   */
  beginEndOfOutdated({ idleMs, abandonedMs, templates }: OutdatedWorlds): Promise<EndedWorld[]> {
    const now = machineClock.now().getTime();
    return this.#beginEnds((where) =>
      where.or([
        where.and([where('state', '=', 'used'), where('used_at', '<', new Date(now - idleMs))]),
        where.and([where('state', 'in', ['making', 'ending']), where('used_at', '<', new Date(now - abandonedMs))]),
        where.and([where('state', '=', 'ready'), where('template', 'not in', [...templates])]),
      ]),
    );
  }

  #beginEnds(which: (where: ExpressionBuilder<Schema, 'worlds'>) => Expression<SqlBool>): Promise<EndedWorld[]> {
    return this.#env.db
      .updateTable('worlds')
      .set({ state: 'ending', api_key_hash: null, application_key: null, used_at: machineClock.now() })
      .where(which)
      .returning(['id', 'template'])
      .execute();
  }

  async forget(id: string): Promise<void> {
    await this.#env.db.deleteFrom('worlds').where('id', '=', id).execute();
  }

  /** All of them, whether somebody has them or not. */
  async all(): Promise<EndedWorld[]> {
    return this.#env.db.selectFrom('worlds').select(['id', 'template']).execute();
  }
}

async function countsIn(db: Kysely<Schema>, accountId: string): Promise<WorldCounts> {
  const { rows } = await sql<WorldCounts>`
    select count(*)::int as "all", (count(*) filter (where account_id = ${accountId}))::int as own,
      count(sip_port)::int as sip, (count(sip_port) filter (where account_id = ${accountId}))::int as "ownSip"
    from worlds where state = 'used'`.execute(db);
  return rows[0] ?? { all: 0, own: 0, sip: 0, ownSip: 0 };
}
