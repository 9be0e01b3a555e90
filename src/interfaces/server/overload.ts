/**
 * Gives requests their turns, and refuses them while too many wait or are in flight, by their head alone: before a
 * route is found, a key is checked or the body is read. A refusal has to cost next to nothing, otherwise clients that
 * do not wait as they are told would use up the processor with refusals.
 */
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { retryAfterSeconds } from '../../engines/db/unavailable.ts';
import type { Counted, InFlight } from './in-flight.ts';
import { decodedPath } from './interface-of.ts';
import type { Readers } from './readers.ts';
import { type Refusal, refusalFor, requestIdOf } from './refusals.ts';
import type { Turn, Turns } from './turns.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The lane that a URL seems to belong to, before its route is known; once it is, the lane of its route counts. Health,
 * metrics, documentation and the sandbox's own are never refused: null.
 */
export function laneOf(url: string): Counted | null {
  const [, name = ''] = /^(?:\/w\/[0-9a-f]{16})?\/(v3|api\/v1|operator\/v1)(?:[/?]|$)/.exec(decodedPath(url)) ?? [];
  return laneOfInterface(name);
}

export const laneOfInterface = (name: string | null): Counted | null => lanes[name ?? ''] ?? null;

const lanes: Readonly<Record<string, Counted>> = {
  v3: 'platform',
  'api/v1': 'verification',
  'operator/v1': 'operator',
};

/**
 * Where a request comes from and for whom, as its head says; a signature is left out, since no two are the same. A
 * digest, because callers are remembered: it is short whatever they send, and holds no secret.
 */
export function callerOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
  const claimed = headers['api-key'] ?? headers.authorization?.split(':', 1)[0] ?? headers.cookie ?? '';
  return hash('sha256', `${socket.remoteAddress} ${headers['x-forwarded-for'] ?? ''} ${claimed}`, 'base64');
}

/** A client that never waits as it is told is answered this late in the end. */
const longestHoldMs = 8_000;

interface GateParts {
  inFlight: InFlight;
  turns: Turns;
  readers: Readers;
  onRefused(request: IncomingMessage): void;
}

/** The last refusal on a connection. */
interface Refused {
  caller: string;
  /** A request before this is too early. */
  until: number;
  /** How long a request that is too early is held, at least. */
  holdMs: number;
}

/**
 * Returns what stands before the server's own handler. A client that has been refused and comes back over the same
 * connection too early gets no response before the time it was told to wait is over, and each time in a row it waits
 * twice as long.
 */
export function createGate({ inFlight, turns, readers, onRefused }: GateParts) {
  const refused = new WeakMap<Socket, Refused>();

  return (request: IncomingMessage, response: ServerResponse, serve: Serve): void => {
    const url = request.url ?? '';
    if (isAlwaysServed(url)) {
      serve(request, response);
      return;
    }
    const lane = laneOf(url);
    const caller = callerOf(request);
    const start = (turn: Turn) => {
      turnOf.set(request, turn);
      readers.watch(response, turn);
      serve(request, response);
    };
    const isFull = () => lane !== null && inFlight.isFull(lane, () => caller);
    const decide = (nextHoldMs: number) => {
      if (!isFull() && takeTurn(turns, caller, response, start)) return;
      const until = performance.now() + retryAfterSeconds * 1000;
      refused.set(request.socket, { caller, until, holdMs: nextHoldMs });
      onRefused(request);
      refuse(request, response);
    };
    const last = refused.get(request.socket);
    const isEarly = last !== undefined && performance.now() < last.until && last.caller === caller;
    if (!isEarly || !isFull()) {
      decide(retryAfterSeconds * 1000);
      return;
    }
    // Up to half as long again by chance: requests that were refused together would all be decided in one moment.
    const holdMs = last.holdMs * (1 + Math.random() / 2);
    const timer = setTimeout(() => decide(Math.min(2 * last.holdMs, longestHoldMs)), holdMs);
    response.once('close', () => clearTimeout(timer));
  };
}

/** Returns whether it has one, now or later. */
function takeTurn(turns: Turns, caller: string, response: ServerResponse, start: (turn: Turn) => void): boolean {
  const leave = turns.enter(caller, (turn) => {
    response.once('close', () => turn.end());
    start(turn);
  });
  if (leave === null) return false;
  response.once('close', leave);
  return true;
}

/** For whoever finds out whose request it is. */
export const turnOf = new WeakMap<IncomingMessage, Turn>();

/** Whether the server is well must be told to those who ask, however much it has to do. */
const isAlwaysServed = (url: string): boolean => /^\/(?:healthz|readyz|metrics)(?:\?|$)/.test(url);

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const { headers, body } = overloadRefusal(request);
  response.writeHead(503, { ...headers, 'x-request-id': requestIdOf(request) });
  response.end(body);
}

/** By the interface, for requests without an origin: they are all alike, and are built once. */
const refusals = new Map<Counted | null, Refusal>();

export function overloadRefusal({ url = '', headers: { origin } }: IncomingMessage): Refusal {
  const lane = laneOf(url);
  const known = origin === undefined ? refusals.get(lane) : undefined;
  if (known !== undefined) return known;
  const refusal = refusalFor(url, 503, origin);
  const length = String(Buffer.byteLength(refusal.body));
  const headers = { ...refusal.headers, 'content-length': length };
  const built = { ...refusal, headers };
  if (origin === undefined) refusals.set(lane, built);
  return built;
}
