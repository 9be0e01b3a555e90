/** Where the events of calls are sent in tests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../src/base/clock.ts';

interface Post {
  headers: IncomingMessage['headers'];
  body: Buffer;
  at: number;
}

/** A receiver that answers as `answer` says, and notes when by the environment's clock. */
export class EventEndpoint {
  readonly posts: Post[] = [];
  answer: (body: Buffer, response: ServerResponse) => void = (_body, response) => response.writeHead(200).end();
  continues = 0;
  readonly #clock: Clock;
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      this.posts.push({ headers: request.headers, body, at: this.#clock.now().getTime() });
      this.answer(body, response);
    });
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async open(): Promise<string> {
    this.#server.on('checkContinue', (request, response) => {
      this.continues += 1;
      response.writeContinue();
      this.#server.emit('request', request, response);
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events?x=1`;
  }

  get events(): { type: string; id: string }[] {
    return this.posts.map(({ body }) => JSON.parse(body.toString()));
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
