/**
 * HTTP over kept connections with the least that works: one write for a request, and the response by its
 * Content-Length. A client that costs as much as what it measures would hide half of a difference, since it shares the
 * machine with the servers.
 */
import { once } from 'node:events';
import net from 'node:net';

interface Request {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers: Record<string, string>;
  body?: string | null;
}

/** What requests are sent with: this, or a `Pool` of undici. */
export interface Http {
  request(request: Request): Promise<{ statusCode: number; body: { text(): Promise<string> } }>;
}

interface Response {
  status: number;
  text: string;
}

export class KeptConnections implements Http {
  readonly #url: URL;
  readonly #free: Connection[] = [];

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async request({ method, path, headers, body }: Request) {
    const connection = this.#free.pop() ?? (await Connection.open(this.#url));
    let head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#url.host}\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    if (body) head += `content-length: ${Buffer.byteLength(body)}\r\n`;
    const { status, text } = await connection.exchange(`${head}\r\n${body ?? ''}`);
    this.#free.push(connection);
    return { statusCode: status, body: { text: async () => text } };
  }

  close(): void {
    for (const connection of this.#free) connection.close();
  }
}

/** One exchange at a time. One that fails is not used again. */
class Connection {
  readonly #socket: net.Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: PromiseWithResolvers<Response> | null = null;

  static async open(url: URL): Promise<Connection> {
    const socket = net.connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (piece) => this.#receive(piece));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed a connection')));
  }

  exchange(request: string): Promise<Response> {
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(piece: Buffer): void {
    this.#received = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#waiting?.reject(new Error(`a response without Content-Length: ${head}`));
      return;
    }
    const from = end + 4;
    const to = from + Number(length);
    if (this.#received.length < to) return;
    const text = this.#received.toString('utf8', from, to);
    this.#received = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve({ status: Number(head.slice(9, 12)), text });
  }
}
