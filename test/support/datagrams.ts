/** UDP on loopback: sockets, free ports, and one request with its response. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

interface Open {
  socket: Socket;
  port: number;
  received: Buffer[];
  senders: number[];
}

/** A UDP socket, on loopback or another address, with what it receives and the ports that it came from. */
export async function openSocket(host = '127.0.0.1'): Promise<Open> {
  const socket = createSocket('udp4');
  const received: Buffer[] = [];
  const senders: number[] = [];
  socket.on('message', (bytes, { port }) => {
    received.push(bytes);
    senders.push(port);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  return { socket, port: socket.address().port, received, senders };
}

export async function freePort(): Promise<number> {
  for (;;) {
    const { socket, port } = await openSocket();
    const isFree = await isFreeForTcp(port);
    socket.close();
    if (isFree) return port;
  }
}

async function isFreeForTcp(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    await new Promise((resolve) => server.close(resolve));
    return true;
  } catch {
    return false;
  }
}

/** Sends a datagram; returns the response, or null if there is none soon. */
export async function exchange(port: number, request: string, waitMs = 300): Promise<string | null> {
  const { socket } = await openSocket();
  socket.send(request, port, '127.0.0.1');
  try {
    const [bytes] = await once(socket, 'message', { signal: AbortSignal.timeout(waitMs) });
    return String(bytes);
  } catch {
    return null;
  } finally {
    socket.close();
  }
}
