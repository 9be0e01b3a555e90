/** Asks the server to stop what a connection is doing, over a connection of its own as the protocol wants it. */
import { connect } from 'node:net';
import type { ClientBase } from 'pg';

const CANCEL_REQUEST = 80_877_102;

/** Nothing is awaited and no failure matters: the statement timeout ends the work in any case. */
export function cancelStatement(client: ClientBase): void {
  const host = member(client, 'host');
  const [port, processId, secret] = [member(client, 'port'), member(client, 'processID'), member(client, 'secretKey')];
  if (typeof host !== 'string' || typeof processId !== 'number' || typeof secret !== 'number') return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(CANCEL_REQUEST, 4);
  message.writeInt32BE(processId, 8);
  message.writeInt32BE(secret, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
  socket.setTimeout(2_000, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.end(message);
}

function member(client: ClientBase, name: string): unknown {
  return Reflect.get(client, name);
}
