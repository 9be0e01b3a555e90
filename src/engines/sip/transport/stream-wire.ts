/** SIP over TCP and TLS: listens, opens connections when needed, and uses every open connection in both directions. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, createServer as createTcpServer, isIP, type Server, type Socket } from 'node:net';
import {
  connect as connectTls,
  createServer as createTlsServer,
  type SecureContextOptions,
  type TlsOptions as TlsServerOptions,
} from 'node:tls';
import { machineTimers } from '../timers.ts';
import { ConnectTimeout } from './send-error.ts';
import { type ConnectionLimits, connectionLimits, StreamConnection } from './stream-connection.ts';
import {
  familyOf,
  plainAddress,
  type Received,
  type Sent,
  type Target,
  type TransportName,
  type Wire,
} from './wire.ts';

export interface TlsOptions {
  /** Certificate and key that this end shows as a server, and whether it demands one of its clients. */
  server: TlsServerOptions;
  /** Authorities that peers' certificates must come from; the system's when absent. */
  ca?: SecureContextOptions['ca'];
  /** Certificate and key for peers that demand one, unless the target names another. */
  client?: SecureContextOptions;
  /** Client certificates by the name that a target gives. */
  certificates?: ReadonlyMap<string, SecureContextOptions>;
}

export interface StreamOptions {
  host: string;
  port: number;
  /** Present for TLS. */
  tls?: TlsOptions;
  limits?: Partial<ConnectionLimits>;
  /** Accepted connections from one address. */
  mostPerAddress?: number;
}

const connectMs = 5_000;
/** Accepted connections in all. */
const mostConnections = 10_000;

export async function openStreamWire(options: StreamOptions, received: Received): Promise<Wire> {
  const wire = new StreamWire(options, received);
  await wire.listen();
  return wire;
}

class StreamWire implements Wire {
  readonly transport: TransportName;
  readonly family: 4 | 6;
  readonly #options: StreamOptions;
  readonly #received: Received;
  readonly #limits: ConnectionLimits;
  readonly #server: Server;
  readonly #connections = new Map<number, StreamConnection>();
  /**
   * By peer, name and certificate: a request goes over a connection that was made for the same name (trap: shared TLS
   * connections).
   */
  readonly #byTarget = new Map<string, StreamConnection>();
  readonly #perAddress = new Map<string, number>();
  /**
   * Begins anywhere: a number outlives its process in the database (registrations, dialogs of open calls), and must not
   * name another peer's connection in the next one.
   */
  #lastId = randomInt(2 ** 40);
  port = 0;

  constructor(options: StreamOptions, received: Received) {
    this.#options = options;
    this.#received = received;
    this.transport = options.tls ? 'TLS' : 'TCP';
    this.family = familyOf(options.host);
    this.#limits = { ...connectionLimits, ...options.limits };
    this.#server = options.tls ? createTlsServer(options.tls.server) : createTcpServer();
    this.#server.maxConnections = mostConnections;
    this.#server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => this.#accept(socket));
    // A failed handshake concerns only its own connection.
    this.#server.on('tlsClientError', () => undefined);
  }

  async listen(): Promise<void> {
    this.#server.listen({ port: this.#options.port, host: this.#options.host, ipv6Only: this.family === 6 });
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  send(bytes: Buffer, target: Target, sent: Sent): void {
    const open = target.connection === undefined ? undefined : this.#connections.get(target.connection);
    const connection = open?.isOpen ? open : this.#connectionTo(target);
    connection.send(bytes, sent);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const connection of this.#connections.values()) connection.close();
    await closed;
  }

  #accept(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    const count = (this.#perAddress.get(address) ?? 0) + 1;
    if (address === '' || count > (this.#options.mostPerAddress ?? 1_000)) return void socket.destroy();
    this.#perAddress.set(address, count);
    socket.once('close', () => this.#release(address));
    const remote = { address, port: socket.remotePort ?? 0 };
    this.#adopt(socket, remote, false, keyOf({ transport: this.transport, ...remote }));
  }

  #release(address: string): void {
    const count = (this.#perAddress.get(address) ?? 1) - 1;
    if (count === 0) this.#perAddress.delete(address);
    else this.#perAddress.set(address, count);
  }

  #connectionTo(target: Target): StreamConnection {
    const key = keyOf(target);
    const existing = this.#byTarget.get(key);
    return existing?.isOpen ? existing : this.#adopt(this.#connect(target), target, true, key);
  }

  #connect(target: Target): Socket {
    const { tls } = this.#options;
    const { address: host, port } = target;
    const socket = tls ? connectTls({ host, port, ...verified(target, tls) }) : connectTcp({ host, port });
    const timer = machineTimers.after(connectMs, failConnect, socket);
    socket.once(tls ? 'secureConnect' : 'connect', () => timer.close());
    socket.once('close', () => timer.close());
    return socket;
  }

  #adopt(socket: Socket, remote: { address: string; port: number }, opened: boolean, key: string): StreamConnection {
    const id = ++this.#lastId;
    const shape = { transport: this.transport, opened, remote };
    const connection = new StreamConnection(id, socket, shape, this.#limits, machineTimers, this.#received);
    this.#connections.set(id, connection);
    this.#byTarget.set(key, connection);
    socket.once('close', () => {
      this.#connections.delete(id);
      if (this.#byTarget.get(key) === connection) this.#byTarget.delete(key);
    });
    return connection;
  }
}

/**
 * The peer must show a certificate for the name before DNS, or for its address when there was no name; unless it is not
 * checked.
 */
function verified(target: Target, tls: TlsOptions) {
  const own = target.certificate === undefined ? tls.client : tls.certificates?.get(target.certificate);
  const name = target.serverName;
  return {
    ...own,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(name !== undefined && isIP(name) === 0 ? { servername: name } : {}),
    rejectUnauthorized: target.unverified !== true,
  };
}

function failConnect(socket: Socket): void {
  socket.destroy(new ConnectTimeout(socket.connecting ? 'Connection timed out' : 'TLS handshake failed: no answer'));
}

function keyOf({ address, port, serverName = '', certificate = '', unverified = false }: Target): string {
  return `${address} ${port} ${serverName} ${certificate}${unverified ? ' unverified' : ''}`;
}
