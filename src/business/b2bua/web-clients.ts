/**
 * Who is behind the WebSockets of this process: which account a connection belongs to, and which registrations end with
 * it.
 */
import type { WebSockets } from '../../engines/sip/transport/web-sockets.ts';
import { type Flow, isWebSocket } from '../../engines/sip/transport/wire.ts';

/** Connections of one account to one process. */
const mostPerAccount = 200;

/** Said to the client. */
export const tooManyConnections = `More than ${mostPerAccount} WebSockets of this account`;

interface Client {
  accountId: string;
  /** User names of the trunks that it has registered to. */
  readonly usernames: Set<string>;
}

export class WebClients {
  readonly #webSockets: WebSockets;
  readonly #clients = new Map<number, Client>();
  readonly #perAccount = new Map<string, number>();
  /** Told of each registration whose connection has ended. */
  onGone: ((username: string, flow: Flow) => void) | null = null;

  constructor(webSockets: WebSockets) {
    this.#webSockets = webSockets;
    webSockets.onClosed((flow) => this.#closed(flow));
  }

  /** Whether an account may have this connection; what came by other transports is not counted. */
  admits({ transport, connection }: Flow, accountId: string): boolean {
    if (!isWebSocket(transport) || this.#clients.get(connection)?.accountId === accountId) return true;
    return (this.#perAccount.get(accountId) ?? 0) < mostPerAccount;
  }

  registered(flow: Flow, username: string, accountId: string, ms: number): void {
    if (!isWebSocket(flow.transport)) return;
    const client = this.#known(flow, accountId);
    // It has left while its registration was stored.
    if (client === null) return void this.onGone?.(username, flow);
    client.usernames.add(username);
    this.#webSockets.proven(flow, ms);
  }

  /** It has placed a call. One connection too many is not proven by that, and ends soon. */
  called(flow: Flow, accountId: string | null): void {
    if (accountId === null || !this.admits(flow, accountId)) return;
    this.#known(flow, accountId);
    this.#webSockets.proven(flow);
  }

  /** A connection counts for the account that used it last. */
  #known(flow: Flow, accountId: string): Client | null {
    if (!isWebSocket(flow.transport) || !this.#webSockets.has(flow)) return null;
    const known = this.#clients.get(flow.connection);
    if (known?.accountId === accountId) return known;
    if (known !== undefined) this.#count(known.accountId, -1);
    const client: Client = { accountId, usernames: known?.usernames ?? new Set() };
    this.#clients.set(flow.connection, client);
    this.#count(accountId, 1);
    return client;
  }

  #closed(flow: Flow): void {
    const client = this.#clients.get(flow.connection);
    if (client === undefined) return;
    this.#clients.delete(flow.connection);
    this.#count(client.accountId, -1);
    for (const username of client.usernames) this.onGone?.(username, flow);
  }

  #count(accountId: string, change: 1 | -1): void {
    const count = (this.#perAccount.get(accountId) ?? 0) + change;
    if (count > 0) this.#perAccount.set(accountId, count);
    else this.#perAccount.delete(accountId);
  }
}
