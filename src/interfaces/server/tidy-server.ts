/** Node's HTTP server, for which a connection that has not brought a byte is idle too. */
import { type RequestListener, Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Browsers and HTTP clients open connections ahead of need. Node counts such a connection as busy, so a server that
 * stops would wait for it until its keep-alive time is over.
 */
export class TidyServer extends Server {
  readonly #connections = new Set<Socket>();

  constructor(options: ServerOptions, listener: RequestListener) {
    super(options, listener);
    this.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
  }
}
