/** Asks one server, over a connection that is kept, whether it takes writes and how new it is. */
import pg from 'pg';
import { isReadOnlySql } from '../read-only.ts';

export interface ServerState {
  readonly writable: boolean;
  /** Each promotion begins a new one; zero on a standby. */
  readonly timeline: number;
  /** The same for all copies of one cluster. */
  readonly system: string;
}

const question = `
  select not ${isReadOnlySql} as writable, system_identifier::text as system,
    case when pg_is_in_recovery() then 0
      else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline
  from pg_control_system()`;

export class Probe {
  readonly #url: string;
  readonly #patienceMs: number;
  #client: pg.Client | null = null;

  constructor(url: string, patienceMs: number) {
    this.#url = url;
    this.#patienceMs = patienceMs;
  }

  /** Fails if there is no answer in time. */
  async ask(): Promise<ServerState> {
    const client = this.#client ?? new pg.Client({ connectionString: this.#url, application_name: 'trunkline watch' });
    const isNew = this.#client === null;
    this.#client = client;
    const timer = setTimeout(() => client.connection.stream.destroy(silent), this.#patienceMs);
    try {
      if (isNew) {
        client.on('error', () => undefined);
        await client.connect();
      }
      const { rows } = await client.query<ServerState>(question);
      const [state] = rows;
      if (state === undefined) throw silent;
      return state;
    } catch (error) {
      if (this.#client === client) this.#client = null;
      client.connection.stream.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#client?.end().catch(() => undefined);
    this.#client = null;
  }
}

const silent = new Error('it does not answer');
