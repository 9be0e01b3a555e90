/** The least that a relay in Node can be: two sockets for each call, and each packet goes from one to the other. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { CallPorts, FromRelay, ToRelay } from '../media/messages.ts';

const receiveBuffer = 256 * 1024;
let sockets: Socket[] = [];

async function bind(): Promise<Socket> {
  // As the relay has it: Node's own look-up of an address costs a turn of the event loop for each packet.
  const socket = createSocket({ type: 'udp4', lookup: (address, _options, found) => found(null, address, 4) });
  const listening = once(socket, 'listening');
  socket.bind(0, '127.0.0.1');
  await listening;
  socket.setRecvBufferSize(receiveBuffer);
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

async function join({ left, right }: CallPorts): Promise<CallPorts> {
  const [ofLeft, ofRight] = [await bind(), await bind()];
  ofLeft.on('message', (bytes) => ofRight.send(bytes, right, '127.0.0.1'));
  ofRight.on('message', (bytes) => ofLeft.send(bytes, left, '127.0.0.1'));
  return { left: ofLeft.address().port, right: ofRight.address().port };
}

const answer = (message: FromRelay): void => void process.send?.(message);

process.on('message', async (request: ToRelay) => {
  if (request.kind === 'join') answer({ kind: 'joined', calls: await Promise.all(request.calls.map(join)) });
  else {
    for (const socket of sockets) socket.close();
    sockets = [];
    answer({ kind: 'closed' });
  }
});
