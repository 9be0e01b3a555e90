/**
 * The databases of worlds, on the server of the sandbox's own database and named after it: `_w_` are worlds, `_t_`
 * templates that the program makes, `_s_` snapshots.
 */
import pg from 'pg';
import { DatabaseClient } from '../../engines/db/servers/client.ts';

/** A clone that is not made in this time is given up; a large snapshot on a busy machine takes seconds. */
const patienceMs = 120_000;

/** The server does not let this program make a database; the text says why. */
export class CannotClone extends Error {}

type DatabaseKind = 'w' | 't' | 's';

export class WorldDatabases {
  readonly #connection: string;
  readonly #base: string;

  /** `connection` is the URL of the sandbox's database. */
  constructor(connection: string) {
    this.#connection = connection;
    this.#base = decodeURIComponent(new URL(connection).pathname.slice(1)).slice(0, 30);
  }

  name(kind: DatabaseKind, id: string): string {
    return `${this.#base}_${kind}_${id}`;
  }

  url(database: string): string {
    const url = new URL(this.#connection);
    url.pathname = `/${encodeURIComponent(database)}`;
    return url.href;
  }

  /** Nobody may be connected to the template. Without one the database is empty. */
  async create(database: string, template = 'template0'): Promise<void> {
    await this.#run(`create database ${pg.escapeIdentifier(database)} template ${pg.escapeIdentifier(template)}`);
  }

  /**
   * The database of a world. Nobody waits until its changes are on disk: if the database server crashes, a test is
   * repeated.
   */
  async createWorld(id: string, template: string): Promise<void> {
    const identifier = pg.escapeIdentifier(this.name('w', id));
    await this.#with(async (client) => {
      await client.query(`create database ${identifier} template ${pg.escapeIdentifier(template)}`);
      await client.query(`alter database ${identifier} set synchronous_commit = off`);
    });
  }

  /** Whoever is connected is disconnected. */
  async drop(database: string): Promise<void> {
    await this.#run(`drop database if exists ${pg.escapeIdentifier(database)} with (force)`);
  }

  /** Clones a database that other processes may still be connected to; they are disconnected. */
  async cloneByForce(database: string, template: string): Promise<void> {
    const identifier = pg.escapeIdentifier(template);
    await this.#with(async (client) => {
      await client.query(`alter database ${identifier} with allow_connections false`);
      try {
        await disconnectOthers(client, template);
        await client.query(`create database ${pg.escapeIdentifier(database)} template ${identifier}`);
      } finally {
        await client.query(`alter database ${identifier} with allow_connections true`);
      }
    });
  }

  /** Connections to it that have not closed yet are closed. */
  async rename(database: string, name: string): Promise<void> {
    await this.#with(async (client) => {
      await disconnectOthers(client, database);
      await client.query(`alter database ${pg.escapeIdentifier(database)} rename to ${pg.escapeIdentifier(name)}`);
    });
  }

  async exists(database: string): Promise<boolean> {
    return (await this.#rows('select from pg_database where datname = $1', [database])).length > 0;
  }

  /** The ids of all databases of a kind. */
  async ids(kind: DatabaseKind): Promise<string[]> {
    const prefix = this.name(kind, '');
    const rows = await this.#rows<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    return rows.map(({ datname }) => datname.slice(prefix.length));
  }

  /**
   * The bytes on disk of all of them, or of these. One that is dropped meanwhile makes the server refuse the sum: it is
   * asked again.
   */
  async size(of: readonly string[] | null = null, attempts = 5): Promise<number> {
    try {
      const rows = await this.#rows<{ bytes: string | null }>(
        `select sum(pg_database_size(oid)) as bytes from pg_database
         where (starts_with(datname, $1) or starts_with(datname, $2) or starts_with(datname, $3))
           and ($4::text[] is null or datname = any($4))`,
        [...(['w', 't', 's'] as const).map((kind) => this.name(kind, '')), of],
      );
      return Number(rows[0]?.bytes ?? 0);
    } catch (error) {
      // The second is what newer servers say to roles that are not superusers.
      const isGone = error instanceof pg.DatabaseError && ['3D000', 'XX000'].includes(error.code ?? '');
      if (!isGone || attempts <= 1) throw error;
      return this.size(of, attempts - 1);
    }
  }

  async #run(statement: string): Promise<void> {
    await this.#with((client) => client.query(statement));
  }

  #rows<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#with(async (client) => (await client.query<Row>(text, values)).rows);
  }

  /** A connection of its own: these statements take long, and cannot be part of a transaction. */
  async #with<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new DatabaseClient({
      connectionString: this.#connection,
      application_name: 'trunkline worlds',
      connectionTimeoutMillis: 10_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(`set statement_timeout = ${patienceMs}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error instanceof pg.DatabaseError ? asCannotClone(error) : new CannotClone(unreachable);
    }
    try {
      return await work(client);
    } catch (error) {
      throw asCannotClone(error);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function disconnectOthers(client: pg.Client, database: string): Promise<void> {
  await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [database]);
}

/** A database that was named is not there. */
export const isNoDatabase = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '3D000';

const unreachable = 'The database server cannot make a world: it does not answer. Try again in a moment.';

/** By the database's error code. */
const reasons: Readonly<Record<string, string>> = {
  42501: 'the role of the sandbox may not create databases (grant it CREATEDB)',
  53100: 'its disk is full',
  53300: 'it has no connection left',
  55006: 'what it is made from is in use; try again in a moment',
  57014: 'it took too long; try again in a moment',
};

/** The error as a client is told of it, if its reason lies with the database server. */
export function asCannotClone(error: unknown): unknown {
  const reason = error instanceof pg.DatabaseError ? reasons[error.code ?? ''] : undefined;
  return reason === undefined ? error : new CannotClone(`The database server cannot make a world: ${reason}.`);
}
