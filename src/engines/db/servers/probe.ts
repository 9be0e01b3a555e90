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
    const isNew = this.#client === null;
    const client = this.#client ?? this.#open();
    let timer: NodeJS.Timeout | undefined;
    // Not left to the client, which tells nobody when it is closed while it connects.
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('it does not answer')), this.#patienceMs);
    });
    try {
      return await Promise.race([silence, stateBy(client, isNew)]);
    } catch (error) {
      if (this.#client === client) this.#client = null;
      client.connection.stream.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#client?.connection.stream.destroy();
    this.#client = null;
  }

  #open(): pg.Client {
    const client = new pg.Client({ connectionString: this.#url, application_name: 'trunkline watch' });
    client.on('error', () => undefined);
    this.#client = client;
    return client;
  }
}

async function stateBy(client: pg.Client, isNew: boolean): Promise<ServerState> {
  if (isNew) await client.connect();
  const { rows } = await client.query<ServerState>(question);
  const [state] = rows;
  if (state === undefined) throw new Error('it says nothing of itself');
  return state;
}
