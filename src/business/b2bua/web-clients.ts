/**
 * Who is behind the WebSockets of this process: which account a connection belongs to, which registrations end with it,
 * and with which session of the panel it ends.
 */
import type { Environment } from '../../engines/environment.ts';
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
  /** Sessions of the panel whose credentials it has used. */
  readonly sessionIds: Set<string>;
  readonly flow: Flow;
}

interface Registered {
  username: string;
  accountId: string;
  /** Null for a phone that has credentials of its own. */
  sessionId: string | null;
  /** How long. */
  ms: number;
}

export class WebClients {
  readonly #webSockets: WebSockets;
  readonly #clients = new Map<number, Client>();
  readonly #perAccount = new Map<string, number>();
  /** Told of each registration whose connection has ended. */
  onGone: ((username: string, flow: Flow) => void) | null = null;

  readonly #stopHearing: () => void;

  constructor(webSockets: WebSockets, { changes }: Pick<Environment, 'changes'>) {
    this.#webSockets = webSockets;
    webSockets.onClosed((flow) => this.#closed(flow));
    this.#stopHearing = changes.on('panel_session', (id) => this.#sessionEnded(id));
  }

  stop(): void {
    this.onGone = null;
    this.#stopHearing();
  }

  /** Whether an account may have this connection; what came by other transports is not counted. */
  admits({ transport, connection }: Flow, accountId: string): boolean {
    if (!isWebSocket(transport) || this.#clients.get(connection)?.accountId === accountId) return true;
    return (this.#perAccount.get(accountId) ?? 0) < mostPerAccount;
  }

  registered(flow: Flow, { username, accountId, sessionId, ms }: Registered): void {
    if (!isWebSocket(flow.transport)) return;
    const client = this.#known(flow, accountId, sessionId);
    // It has left while its registration was stored.
    if (client === null) return void this.onGone?.(username, flow);
    client.usernames.add(username);
    this.#webSockets.proven(flow, ms);
  }

  /** It has placed a call. One connection too many is not proven by that, and ends soon. */
  called(flow: Flow, accountId: string | null, sessionId: string | null): void {
    if (accountId === null || !this.admits(flow, accountId)) return;
    this.#known(flow, accountId, sessionId);
    this.#webSockets.proven(flow);
  }

  /** A connection counts for the account that used it last. */
  #known(flow: Flow, accountId: string, sessionId: string | null): Client | null {
    if (!isWebSocket(flow.transport) || !this.#webSockets.has(flow)) return null;
    const known = this.#clients.get(flow.connection);
    const { usernames, sessionIds } = known ?? { usernames: new Set<string>(), sessionIds: new Set<string>() };
    if (sessionId !== null) sessionIds.add(sessionId);
    if (known?.accountId === accountId) return known;
    if (known !== undefined) this.#count(known.accountId, -1);
    const client: Client = { accountId, usernames, sessionIds, flow };
    this.#clients.set(flow.connection, client);
    this.#count(accountId, 1);
    return client;
  }

  /** Its person has signed out, was signed out or is somebody else now: nothing rings or is heard there any more. */
  #sessionEnded(id: string): void {
    for (const { sessionIds, flow } of [...this.#clients.values()]) {
      if (sessionIds.has(id)) this.#webSockets.end(flow, 'signedOut');
    }
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
