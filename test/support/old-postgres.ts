/** A server that speaks just enough of PostgreSQL's protocol to say that it is version 14. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

interface OldPostgres {
  readonly url: string;
  /** What it was asked, in order. */
  readonly queries: string[];
  close(): Promise<void>;
}

export async function startOldPostgres(): Promise<OldPostgres> {
  const queries: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    converse(socket, queries);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `postgres://someone@127.0.0.1:${address.port}/old`,
    queries,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(socket: Socket, queries: string[]): void {
  let buffer = Buffer.alloc(0);
  let started = false;
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const header = started ? 1 : 0;
      if (buffer.length < header + 4) return;
      const length = header + buffer.readUInt32BE(header);
      if (buffer.length < length) return;
      const message = buffer.subarray(0, length);
      buffer = buffer.subarray(length);
      if (!started) {
        started = true;
        // AuthenticationOk, ReadyForQuery.
        socket.write(Buffer.concat([packet('R', int32(0)), packet('Z', Buffer.from('I'))]));
      } else if (message[0] === 'Q'.charCodeAt(0)) {
        queries.push(message.subarray(5, -1).toString());
        socket.write(answer());
      }
    }
  });
}

/** Whatever the question: one row with the version. */
function answer(): Buffer {
  const value = Buffer.from('140012');
  const column = Buffer.concat([
    Buffer.from('server_version_num\0'),
    int32(0),
    int16(0),
    int32(25),
    int16(-1),
    int32(-1),
    int16(0),
  ]);
  return Buffer.concat([
    packet('T', Buffer.concat([int16(1), column])),
    packet('D', Buffer.concat([int16(1), int32(value.length), value])),
    packet('C', Buffer.from('SHOW\0')),
    packet('Z', Buffer.from('I')),
  ]);
}

function packet(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
