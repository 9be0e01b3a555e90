/** SIP over datagrams. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { QueueProbe } from './queue-probe.ts';
import { familyOf, plainAddress, type Received, type Sent, type Target, type Wire } from './wire.ts';

interface UdpOptions {
  /** The address to bind. */
  host: string;
  /** 0 for any free port. */
  port: number;
}

/**
 * A burst of calls waits in the kernel while JavaScript works; its default buffer holds a tenth of a second of them.
 */
const socketBuffer = 4 * 1024 * 1024;

export async function openUdpWire({ host, port }: UdpOptions, received: Received): Promise<Wire> {
  const family = familyOf(host);
  const socket = createSocket({ type: family === 6 ? 'udp6' : 'udp4', ipv6Only: family === 6 });
  socket.bind(port, host);
  await once(socket, 'listening');
  askForBuffers(socket);
  // Without a listener an ICMP error, which any peer can cause, would end the process.
  socket.on('error', () => undefined);
  const { port: ownPort } = socket.address();
  const probe = new QueueProbe((bytes) => socket.send(bytes, ownPort, reachable(host), () => undefined));
  socket.on('message', (bytes: Buffer, { address, port: from }: RemoteInfo) => {
    if (probe.read(bytes)) return;
    received(bytes, { transport: 'UDP', address: plainAddress(address), port: from, connection: 0 });
  });
  return {
    transport: 'UDP',
    family,
    port: ownPort,
    get waitMs() {
      return probe.waitMs;
    },
    send(bytes: Buffer, target: Target, sent: Sent) {
      socket.send(bytes, target.port, target.address, sent);
    },
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** Where a socket that is bound to all addresses finds itself. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** The kernel gives at most what it is configured for; some systems refuse a larger wish instead. */
function askForBuffers(socket: Socket): void {
  try {
    socket.setRecvBufferSize(socketBuffer);
    socket.setSendBufferSize(socketBuffer);
  } catch {
    // The system's own size stays.
  }
}
