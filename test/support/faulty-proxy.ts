/** Stands before a server and spoils requests on demand: what a supplier may do to whoever buys there. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `lost`: never arrives. `dropped`: is handled, and not answered. `cut`: half of the answer. `busy`: 429 with
 * Retry-After. `broken`: 500, handled. `odd`: an answer that is not JSON, handled.
 */
export type ProxyFault = 'lost' | 'dropped' | 'cut' | 'busy' | 'broken' | 'odd';

export const proxyFaults: readonly ProxyFault[] = ['lost', 'dropped', 'cut', 'busy', 'broken', 'odd'];

export interface FaultyProxy {
  readonly url: string;
  /** What was asked for: `POST /v3/orders`. */
  readonly asked: string[];
  /** Decides what happens to each request; null lets it through. */
  spoil: (asked: string) => ProxyFault | null;
  /** While it is set, answers wait for it. */
  held: Promise<void> | null;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const proxy: FaultyProxy = {
    url: '',
    asked: [],
    spoil: () => null,
    held: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = `${incoming.method} ${incoming.url?.split('?')[0]}`;
    proxy.asked.push(asked);
    const fault = proxy.spoil(asked);
    const body = await bodyOf(incoming);
    if (fault === 'lost') return void outgoing.destroy();
    if (fault === 'busy') return void outgoing.writeHead(429, { 'retry-after': '1' }).end();
    const answer = await pass(incoming, body);
    await proxy.held;
    if (fault === 'dropped') return void outgoing.destroy();
    if (fault === 'broken') return void outgoing.writeHead(500).end('{}');
    if (fault === 'odd') return void outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<p>moved</p>');
    outgoing.writeHead(answer.status, answer.headers);
    if (fault !== 'cut') return void outgoing.end(answer.body);
    outgoing.write(answer.body.subarray(0, answer.body.length >> 1), () => outgoing.destroy());
  }

  function pass(incoming: IncomingMessage, body: Buffer) {
    return new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
      const { host: _host, connection: _connection, ...headers } = incoming.headers;
      const { method = 'GET', url = '/' } = incoming;
      const onward = request(`${target}${url}`, { method, headers, agent: false }, async (answer) => {
        const given = await bodyOf(answer);
        const type = answer.headers['content-type'];
        const kept = {
          'content-length': String(given.length),
          ...(type === undefined ? {} : { 'content-type': type }),
        };
        const status = answer.statusCode ?? 500;
        resolve({ status, headers: status === 204 ? {} : kept, body: given });
      });
      onward.on('error', reject);
      onward.end(body);
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}
