/** A wire of a client: one WebSocket that it has opened, for phones in tests. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Received, Wire } from './wire.ts';

export async function openClientWire(
  url: string,
  received: Received,
  headers: Readonly<Record<string, string>> = {},
): Promise<Wire> {
  const socket = new WebSocket(url, 'sip', { headers });
  socket.on('message', (data: Buffer) =>
    received(data, { transport: 'WS', address: '127.0.0.1', port, connection: 1 }),
  );
  const port = Number(new URL(url).port);
  await once(socket, 'open');
  return {
    ...{ transport: 'WS', family: 4, port: 0 },
    send: (bytes, _target, sent) => socket.send(bytes.toString('utf8'), (error) => sent(error ?? null)),
    close: async () => socket.terminate(),
  };
}
