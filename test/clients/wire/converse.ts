/** Requests as bytes on a connection: what clients send, without a client in between that would tidy it up. */
import { connect } from 'node:net';

/** Bytes, or a text that must have come back before the next bytes are sent. */
export type Piece = string | Buffer | { once: string };

/** Of a request whose bytes are sent; a response hangs for ever when it is not there by then. */
const withinMs = 60_000;

/** Sends the pieces, and resolves to everything that came back when the server has closed the connection. */
export function converse(port: number, pieces: readonly Piece[], host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const waiting = [...pieces];
    const socket = connect({ port, host });
    let received = '';
    const sendOn = () => {
      for (let piece = waiting[0]; piece !== undefined; piece = waiting[0]) {
        if (typeof piece === 'object' && 'once' in piece) {
          if (!received.includes(piece.once)) return;
        } else socket.write(piece);
        waiting.shift();
      }
    };
    socket.setTimeout(withinMs, () => socket.destroy(new Error(`no end of the response: ${received}`)));
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      sendOn();
    });
    socket.on('connect', sendOn).on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

export interface Head {
  version?: '1.0' | '1.1';
  /** Null: without a Host header. */
  host?: string | null;
  /** Names are sent as they are written here. */
  headers?: Readonly<Record<string, string>>;
  /** Whether the connection is to stay open. */
  stays?: boolean;
}

/** Adds `Content-Length` to a body, unless the headers say how it is framed. */
export function request(line: string, { version = '1.1', host = 'localhost', ...more }: Head, body?: string | Buffer) {
  const headers = { ...more.headers };
  const isFramed = Object.keys(headers).some((name) => /^(content-length|transfer-encoding)$/i.test(name));
  if (body !== undefined && !isFramed) headers['Content-Length'] = String(Buffer.byteLength(body));
  if (host !== null) headers.Host = host;
  if (!more.stays) headers.Connection = 'close';
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = Buffer.from([`${line} HTTP/${version}`, ...lines, '', ''].join('\r\n'));
  return body === undefined ? head : Buffer.concat([head, Buffer.from(body)]);
}

/** The statuses of the responses in what came back, interim ones included. */
export const statusesIn = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
