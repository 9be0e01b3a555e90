/** A connection to a database, of which all others are made: with several servers, to the one that takes writes. */
import pg from 'pg';
import { type Servers, serversBehind } from './servers.ts';

/**
 * For connections that stay: a host that has vanished is asked after so long. How often it is asked then, and when it
 * is given up, are settings of the machine (docs/operations.md).
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

type Connected = ((error: Error) => void) & ((error: null, client: pg.Client) => void);

export class DatabaseClient extends pg.Client {
  readonly #servers: Servers | null;

  constructor(config: string | pg.ClientConfig = {}) {
    super(config);
    const url = typeof config === 'string' ? config : config.connectionString;
    this.#servers = url === undefined ? null : serversBehind(url);
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

  async #connectTo(servers: Servers): Promise<pg.Client> {
    const server = await servers.find();
    this.host = server.host;
    this.port = server.port;
    servers.join(this, server);
    return super.connect();
  }
}
