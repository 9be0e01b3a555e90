/** The two UDP sockets of one medium of one party: RTP on an even port, RTCP on the next one. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { MediaUnavailable } from '../media-engine.ts';
import type { PortPairs } from './port-pairs.ts';

export interface SocketPair {
  readonly rtp: Socket;
  readonly rtcp: Socket;
  readonly port: number;
  close(): void;
}

/** Half a second of a video call waits in it while JavaScript works. */
const receiveBuffer = 256 * 1024;
/** Ports that other programs have are skipped, as many in a row. */
const mostTaken = 64;

/** Where ports come from: a range, or, for null, whatever the system has. `owner` is the thread. */
export interface PortSource {
  pairs: PortPairs | null;
  owner: number;
}

/** Rejects with `MediaUnavailable`. */
export async function openPair(host: string, { pairs, owner }: PortSource): Promise<SocketPair> {
  for (let tries = 0; tries < mostTaken; tries++) {
    const port = pairs === null ? 0 : pairs.take(owner);
    if (port === null) throw new MediaUnavailable('All media ports are in use.');
    const opened = await bindPair(host, port);
    if (opened !== null) return { ...opened, close: () => closePair(opened, pairs) };
    if (port !== 0) pairs?.release(port);
  }
  throw new MediaUnavailable('The media ports that are free belong to other programs.');
}

type Bound = Omit<SocketPair, 'close'>;

function closePair({ rtp, rtcp, port }: Bound, pairs: PortPairs | null): void {
  rtp.close();
  rtcp.close();
  pairs?.release(port);
}

/** Null where one of the two ports is somebody else's. */
async function bindPair(host: string, wanted: number): Promise<Bound | null> {
  const rtp = await bind(host, wanted);
  if (rtp === null) return null;
  const { port } = rtp.address();
  const rtcp = port % 2 === 0 ? await bind(host, port + 1) : null;
  if (rtcp !== null) return { rtp, rtcp, port };
  rtp.close();
  return null;
}

async function bind(host: string, port: number): Promise<Socket | null> {
  const family = isIPv6(host) ? 6 : 4;
  const socket = createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    ipv6Only: family === 6,
    // Only addresses are sent to. Node's own look-up of one would cost a turn of the event loop for each packet.
    lookup: (address, _options, found) => found(null, address, family),
  });
  try {
    // Asked for first: with this look-up the event comes at once.
    const listening = once(socket, 'listening');
    socket.bind({ address: host, port });
    await listening;
  } catch (error) {
    socket.close();
    if (isTaken(error)) return null;
    throw new MediaUnavailable(`No media port can be opened on ${host}: ${String(error)}.`);
  }
  // An ICMP error, which any peer can cause, is no reason to end.
  socket.on('error', () => undefined);
  askForBuffer(socket);
  return socket;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
}

/** The kernel gives at most what it is configured for; some systems refuse a larger wish instead. */
function askForBuffer(socket: Socket): void {
  try {
    socket.setRecvBufferSize(receiveBuffer);
  } catch {
    // The system's own size stays.
  }
}
