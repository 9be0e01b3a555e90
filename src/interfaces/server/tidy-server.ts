/** Node's HTTP server, for which connections count as busy only while they have requests. */
import { type RequestListener, Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Browsers and HTTP clients open connections ahead of need. Node counts such a connection as busy, so a server that
 * stops would wait for it until its keep-alive time is over.
 */
export class TidyServer extends Server {
  readonly #connections = new Set<Socket>();
  readonly #handedOver = new Set<Socket>();

  constructor(options: ServerOptions, listener: RequestListener) {
    super(options, listener);
    this.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  /** From now on the connection belongs to somebody else, such as a WebSocket: no request is waited for on it. */
  handOver(socket: Socket): void {
    this.#handedOver.add(socket);
    socket.once('close', () => this.#handedOver.delete(socket));
  }

  override getConnections(callback: (error: Error | null, count: number) => void): this {
    return super.getConnections((error, count) => callback(error, count - this.#handedOver.size));
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
  }
}
