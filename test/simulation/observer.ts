/**
 * The simulation's own connection to the database: it sets the time that the database sees, hears every notification,
 * knows which statements wait for locks, and ends connections.
 */
import pg from 'pg';

interface Notified {
  channel: string;
  payload: string;
}

export class Observer {
  readonly #client: pg.Client;
  readonly #heard: Notified[] = [];
  readonly #channels = new Set<string>();
  #at = 0;
  /** Questions of the simulation itself that are under way. */
  asked = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on('notification', ({ channel, payload = '' }) => this.#heard.push({ channel, payload }));
  }

  static async open(url: string): Promise<Observer> {
    const client = new pg.Client({ connectionString: url, application_name: 'simulation' });
    await client.connect();
    await client.query("set timezone to 'UTC'");
    return new Observer(client);
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    this.asked += 1;
    try {
      return (await this.#client.query<Row>(text, values)).rows;
    } finally {
      this.asked -= 1;
    }
  }

  async listen(channel: string): Promise<void> {
    if (this.#channels.has(channel)) return;
    this.#channels.add(channel);
    await this.#client.query(`listen ${channel}`);
  }

  /** Puts the database's clock to this moment. Returns what was notified by everything that has been committed. */
  async advance(ms: number): Promise<Notified[]> {
    // Also without a change of time: a round trip brings what was notified before it.
    const values = [new Date(ms)];
    if (ms === this.#at) await this.#client.query('select 1');
    else await this.#client.query({ name: 'time', text: 'update environment_state set clock_stands_at = $1', values });
    this.#at = ms;
    return this.#heard.splice(0);
  }

  /** Those of the connections whose statement waits for a lock of another. */
  async waiting(pids: readonly number[]): Promise<Set<number>> {
    const text = 'select distinct pid from pg_locks where not granted and pid = any($1::int[])';
    return new Set((await this.#client.query({ name: 'waiting', text, values: [pids] })).rows.map(({ pid }) => pid));
  }

  async blockers(pid: number): Promise<number[]> {
    const { rows } = await this.#client.query('select pg_blocking_pids($1) as pids', [pid]);
    return rows[0]?.pids ?? [];
  }

  async cancel(pid: number): Promise<void> {
    await this.#client.query('select pg_cancel_backend($1)', [pid]);
  }

  /** Returns once they are gone, with their transactions and locks. */
  async terminate(pids: readonly number[]): Promise<void> {
    await this.#client.query('select pg_terminate_backend(pid, 10000) from unnest($1::int[]) as gone (pid)', [pids]);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
