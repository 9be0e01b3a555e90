/**
 * SIP over WebSocket (RFC 7118): the connections that clients have opened on HTTP servers. A message goes to a client
 * over the connection that it came by, or not at all: nothing is ever opened from here.
 */
import { randomInt } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Timers } from '../timers.ts';
import { WebSocketConnection, type WebSocketLimits, webSocketLimits } from './web-socket-connection.ts';
import { type Flow, isWebSocket, type Peer, type Received, type Sent, type Target, type Wire } from './wire.ts';

/** How long a client has to answer that its connection ends. */
const closeMs = 500;

interface Client extends Peer {
  transport: 'WS' | 'WSS';
}

export class WebSockets {
  /** One for each transport and address family; they share the connections. */
  readonly wires: readonly Wire[];
  readonly #connections = new Map<number, WebSocketConnection>();
  readonly #perAddress = new Map<string, number>();
  readonly #onClosed = new Set<(flow: Flow) => void>();
  readonly #limits: WebSocketLimits;
  readonly #timers: Timers;
  readonly #received: Received;
  /** Begins anywhere, since registrations in the database name connections of processes that are gone. */
  #lastId = randomInt(2 ** 40);

  constructor(received: Received, timers: Timers, limits: Partial<WebSocketLimits> = {}) {
    this.#received = received;
    this.#timers = timers;
    this.#limits = { ...webSocketLimits, ...limits };
    this.wires = (['WS', 'WSS'] as const).flatMap((transport) =>
      ([4, 6] as const).map((family) => this.#wire(transport, family)),
    );
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Whether there is room for one more client. `group`: which clients count together. */
  hasRoomFor(group: string): boolean {
    return this.size < this.#limits.connections && (this.#perAddress.get(group) ?? 0) < this.#limits.perAddress;
  }

  /** Takes over a connection whose handshake is done. */
  accept(socket: WebSocket, client: Client, group: string): void {
    const flow: Flow = { ...client, connection: ++this.#lastId };
    const parts = { socket, flow, limits: this.#limits, timers: this.#timers, received: this.#received };
    const connection = new WebSocketConnection(parts);
    // Others may have come while the handshake was made.
    if (!this.hasRoomFor(group)) return void connection.terminate();
    this.#connections.set(flow.connection, connection);
    this.#perAddress.set(group, (this.#perAddress.get(group) ?? 0) + 1);
    socket.once('close', () => this.#closed(flow, group));
  }

  /** Whether the connection is still there. */
  has(flow: Flow): boolean {
    return this.#connectionOf(flow) !== undefined;
  }

  /** The client at this end has shown a right password. `ms`: how long a registration lasts. */
  proven(flow: Flow, ms = 0): void {
    this.#connectionOf(flow)?.proven(ms);
  }

  /** Whoever is at this end may not be there any more. */
  end(flow: Flow, why: 'signedOut'): void {
    void this.#connectionOf(flow)?.close(why);
  }

  /** Calls `listener` when a connection has ended. */
  onClosed(listener: (flow: Flow) => void): void {
    this.#onClosed.add(listener);
  }

  #wire(transport: Client['transport'], family: 4 | 6): Wire {
    const send = (bytes: Buffer, target: Target, sent: Sent) => {
      const connection = this.#connectionOf(target);
      if (connection?.isOpen) connection.send(bytes, sent);
      else sent(new Error('The WebSocket of this client is closed'));
    };
    return { transport, family, port: 0, send, close: () => this.#close() };
  }

  #connectionOf(target: Target): WebSocketConnection | undefined {
    if (!isWebSocket(target.transport) || target.connection === undefined) return undefined;
    const connection = this.#connections.get(target.connection);
    return connection?.isOf(target) ? connection : undefined;
  }

  #closed(flow: Flow, group: string): void {
    this.#connections.delete(flow.connection);
    const left = (this.#perAddress.get(group) ?? 1) - 1;
    if (left > 0) this.#perAddress.set(group, left);
    else this.#perAddress.delete(group);
    for (const listener of this.#onClosed) listener(flow);
  }

  /** Clients are told, and not waited for. */
  async #close(): Promise<void> {
    const closing = [...this.#connections.values()].map((connection) => connection.close('goingAway'));
    const impatience = this.#timers.after(closeMs, terminateAll, this.#connections);
    await Promise.all(closing);
    impatience.close();
  }
}

function terminateAll(connections: ReadonlyMap<number, WebSocketConnection>): void {
  for (const connection of connections.values()) connection.terminate();
}
