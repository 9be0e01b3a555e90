/**
 * Refuses requests while too many are in flight, by their head alone: before a route is found, a key is checked or the
 * body is read. A refusal has to cost next to nothing, otherwise clients that do not wait as they are told would use up
 * the processor with refusals.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { retryAfterSeconds } from '../db/unavailable.ts';
import type { Lane } from '../db/work.ts';
import type { InFlight } from './in-flight.ts';
import { type Refusal, refusalFor, requestIdOf } from './refusals.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** The interface that a URL belongs to. Health, metrics, documentation and the sandbox's own are never refused: null. */
export function laneOf(url: string): Lane | null {
  const [, name] = /^(?:https?:\/\/[^/?#]*)?\/(v3|api\/v1)(?:[/?]|$)/i.exec(url) ?? [];
  if (name === undefined) return null;
  return name === 'v3' ? 'platform' : 'verification';
}

/** Where a request comes from and for whom, as its head says; a signature is left out, since no two are the same. */
export function callerOf({ socket, headers }: IncomingMessage): string {
  const claimed = headers['api-key'] ?? headers.authorization?.split(':', 1)[0] ?? '';
  return `${socket.remoteAddress} ${headers['x-forwarded-for'] ?? ''} ${claimed}`;
}

/**
 * Returns what stands before the server's own handler. A client that has been refused and comes back over the same
 * connection too early is not answered before the time it was told to wait is over.
 */
export function createGate(inFlight: InFlight, onRefused: (request: IncomingMessage) => void) {
  const refused = new WeakMap<Socket, { caller: string; until: number }>();

  return (request: IncomingMessage, response: ServerResponse, serve: Serve): void => {
    const lane = laneOf(request.url ?? '');
    if (lane === null) {
      serve(request, response);
      return;
    }
    const caller = callerOf(request);
    const decide = () => {
      if (!inFlight.isFull(lane, caller)) return serve(request, response);
      refused.set(request.socket, { caller, until: performance.now() + retryAfterSeconds * 1000 });
      onRefused(request);
      refuse(request, response);
    };
    const last = refused.get(request.socket);
    const early = last?.caller === caller ? last.until - performance.now() : 0;
    if (early <= 0 || !inFlight.isFull(lane, caller)) {
      decide();
      return;
    }
    const timer = setTimeout(decide, early);
    response.once('close', () => clearTimeout(timer));
  };
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const { headers, body } = overloadRefusal(request);
  const length = String(Buffer.byteLength(body));
  response.writeHead(503, { ...headers, 'x-request-id': requestIdOf(request), 'content-length': length });
  response.end(body);
}

export function overloadRefusal({ url = '', headers: { origin } }: IncomingMessage): Refusal {
  const refusal = refusalFor(url, 503, origin);
  return { ...refusal, headers: { ...refusal.headers, 'retry-after': String(retryAfterSeconds) } };
}
