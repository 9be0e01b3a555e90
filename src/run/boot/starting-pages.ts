/**
 * What the ports say while the embedded database recovers from a crash, which may take minutes: health checks see that
 * the process lives and how far it is, clients are told to come back. A usual start is over before anything of it is
 * needed.
 */
import { once } from 'node:events';
import http from 'node:http';
import { retryAfterSeconds } from '../../engines/db/unavailable.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import type { Config } from '../config/types.ts';

export class StartingPages {
  readonly #host: string;
  readonly #ports: readonly number[];
  #servers: http.Server[] = [];
  #progress = '';

  constructor({ host, environments }: Config, names: readonly EnvironmentName[]) {
    this.#host = host;
    // Nobody knows a port that is chosen when the server listens.
    this.#ports = names.map((name) => environments[name].port ?? 0).filter((port) => port > 0);
  }

  show(progress: string): void {
    this.#progress = progress;
    if (this.#servers.length > 0) return;
    this.#servers = this.#ports.map((port) => {
      const server = http.createServer((request, response) => this.#respond(request, response));
      // It was free a moment ago; if it is not, the start itself will say so.
      server.on('error', () => undefined);
      return server.listen(port, this.#host);
    });
  }

  async close(): Promise<void> {
    const open = this.#servers.filter(({ listening }) => listening);
    this.#servers = [];
    await Promise.all(
      open.map(async (server) => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    );
  }

  #respond({ url = '/' }: http.IncomingMessage, response: http.ServerResponse): void {
    const path = url.split('?', 1)[0];
    const isAlive = path === '/healthz';
    const state = { status: 'unavailable', database: 'recovering', recovery: this.#progress };
    const body = isAlive
      ? { status: 'ok' }
      : path === '/readyz'
        ? state
        : { error: 'Try again in a moment', outcome: 'nothing_changed' };
    response.writeHead(isAlive ? 200 : 503, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...(isAlive ? {} : { 'retry-after': String(retryAfterSeconds) }),
    });
    response.end(JSON.stringify(body));
  }
}
