/** The response to bytes that are not an HTTP request, or that do not come in time: they never reach the hooks. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type RefusedStatus, refusalFor } from './refusals.ts';

const STATUSES: Readonly<Record<string, RefusedStatus>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The request a connection is busy with, for errors that come after its head was read. */
const underWay = new WeakMap<Socket, string>();

export function noteRequest(request: IncomingMessage): void {
  underWay.set(request.socket, request.url ?? '');
}

export function refuseBrokenRequest(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const url = (late ? underWay.get(socket) : urlIn(error.rawPacket)) ?? null;
  const isOtherMethod = error.code === 'HPE_INVALID_METHOD' && url !== null;
  const { status, headers, body } = refusalFor(url, isOtherMethod ? 405 : (STATUSES[error.code ?? ''] ?? 400));
  const lines = Object.entries({
    ...headers,
    'x-request-id': randomUUID(),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'), () => socket.destroy());
}

/** Node answers an expectation that it does not know by itself, and without a word; this has the interface's form. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = refusalFor(request.url ?? null, 417, request.headers.origin);
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, {
    ...headers,
    'x-request-id': randomUUID(),
    'content-length': length,
    connection: 'close',
  });
  response.end(body);
}

/** From the request line, where the broken bytes still have it. */
function urlIn(packet: unknown): string | null {
  return !Buffer.isBuffer(packet)
    ? null
    : (/^\S{1,20} (\S+) HTTP\/\d/.exec(packet.toString('latin1', 0, 4096))?.[1] ?? null);
}
