/** A connection to a database, of which all others are made: with several servers, to the one that takes writes. */
import pg from 'pg';
import { type Servers, serversBehind } from './servers.ts';

/**
 * For connections that stay: a host that has vanished is asked after so long. How often it is asked then, and when it
 * is given up, are settings of the machine (docs/operations.md).
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** Which part of PostgreSQL warns; texts are in the server's language. */
const waitsForStandby = 'SyncRepWaitForLSN';

type Connected = ((error: Error) => void) & ((error: null, client: pg.Client) => void);

export class DatabaseClient extends pg.Client {
  readonly #servers: Servers | null;

  constructor(config: string | pg.ClientConfig = {}) {
    super(config);
    const url = typeof config === 'string' ? config : config.connectionString;
    this.#servers = url === undefined ? null : serversBehind(url);
    // A server may end a connection at any moment, also before the pool listens. Whoever uses it learns of that by its
    // query, and the pool by listening too; an error that nobody listens to would end the process.
    this.on('error', () => undefined);
    this.on('notice', ({ routine }) => {
      if (routine === waitsForStandby) this.#distrust();
    });
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const connected = this.#servers === null ? super.connect() : this.#connectTo(this.#servers);
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(null, client),
      (error: Error) => callback(error),
    );
    return undefined;
  }

  /**
   * A commit that was told to stop waiting for a standby (by `pg_cancel_backend`, say) is acknowledged with a warning
   * alone. A failover may lose it, so nobody is told that it was stored: what becomes of it is unknown.
   */
  #distrust(): void {
    this.connection.emit('error', new Error('Connection terminated: no standby has confirmed a commit'));
    this.connection.stream.destroy();
  }

  async #connectTo(servers: Servers): Promise<pg.Client> {
    const server = await servers.find();
    this.host = server.host;
    this.port = server.port;
    servers.join(this, server);
    return super.connect();
  }
}
