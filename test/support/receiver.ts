/** A real HTTP server on loopback that remembers what it was sent and answers as told. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  method: string;
  /** The URL as the sender wrote it, for checking signatures. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Statuses of the next answers; the last one stays. */
  answers: number[];
  /** Answers are given when this is settled. */
  held: Promise<unknown>;
  close(): Promise<void>;
}

export async function startReceiver(...answers: number[]): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    answers: answers.length > 0 ? answers : [200],
    held: Promise.resolve(),
    close: async () => {},
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', async () => {
      const { method = '', url = '', headers } = request;
      receiver.received.push({ method, url: `http://${headers.host}${url}`, headers, body });
      const status = (receiver.answers.length > 1 ? receiver.answers.shift() : receiver.answers[0]) ?? 200;
      await receiver.held;
      response.writeHead(status).end(`answer ${receiver.received.length} `.repeat(200));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}`, close });
}
