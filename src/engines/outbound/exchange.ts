/**
 * Sends one request and reads its response with Node's HTTP client, enforces every limit, and records how far the
 * request got.
 */
import { type ClientRequest, type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { basicAuthorization, readUrl, refused, requestTarget, wireUrl } from './outbound-address.ts';
import {
  codeOf,
  OutboundError,
  type OutboundRequest,
  type OutboundResponse,
  outboundErrorFrom,
  type Progress,
} from './outbound-request.ts';

export interface Connections {
  http: HttpAgent;
  https: HttpsAgent;
}

interface Way {
  policy: AddressPolicy;
  lookup: LookupFunction;
  connectTimeoutMs: number;
  /** Aborted when the client is closed. */
  closing: AbortSignal;
}

/** The receiver closed a kept-alive connection before it received this request. */
export class KeptConnectionClosed extends OutboundError {}

/**
 * A receiver that does not know `Expect` does not respond to it; the body is sent after this time (RFC 9110, 10.1.1).
 */
const continuePatienceMs = 1_000;

export async function exchange(
  way: Way,
  connections: Connections,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  const text = wireUrl(request.url);
  const url = readUrl(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !way.policy.allows(host)) throw refused();
  const body = Buffer.from(request.body ?? '');
  const timeout = AbortSignal.timeout(request.timeoutMs ?? 60_000);
  const abort = AbortSignal.any([way.closing, ...(request.signal === undefined ? [] : [request.signal])]);
  const progress: Progress & { reused: boolean; answered: boolean } = {
    connected: false,
    sent: false,
    reused: false,
    answered: false,
  };
  try {
    const secure = url.protocol === 'https:';
    const outgoing = (secure ? httpsRequest : httpRequest)({
      protocol: url.protocol,
      host,
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      path: requestTarget(url, text ?? ''),
      method: request.method,
      headers: {
        ...basicAuthorization(url),
        ...request.headers,
        ...(request.method === 'POST' || request.method === 'PATCH' ? { 'content-length': String(body.length) } : {}),
        ...(request.expectContinue ? { expect: '100-continue' } : {}),
      },
      agent: secure ? connections.https : connections.http,
      lookup: way.lookup,
      signal: AbortSignal.any([timeout, abort]),
    });
    const silence = silenceTimer(outgoing, request.readTimeoutMs);
    try {
      watchConnection(outgoing, secure, way.connectTimeoutMs, progress, silence.restart);
      const incoming = await responseTo(outgoing, body, request.expectContinue ?? false);
      progress.answered = true;
      return await read(incoming, outgoing, request, silence.restart);
    } finally {
      silence.stop();
    }
  } catch (error) {
    const { sent } = progress;
    if (abort.aborted) throw new OutboundError('aborted', 'the request was given up', { sent });
    if (timeout.aborted) throw new OutboundError('timeout', 'no complete response in time', { sent });
    if (progress.reused && !progress.answered && closedCodes.has(codeOf(error) ?? '')) {
      throw new KeptConnectionClosed('connect', 'the receiver closed a kept connection', { sent });
    }
    throw outboundErrorFrom(error, progress);
  }
}

const closedCodes = new Set(['ECONNRESET', 'EPIPE']);

function watchConnection(
  outgoing: ClientRequest,
  secure: boolean,
  timeoutMs: number,
  progress: Progress & { reused: boolean },
  whenSent: () => void,
): void {
  const noConnection = () => outgoing.destroy(new OutboundError('timeout', 'no connection in time'));
  const patience = setTimeout(noConnection, timeoutMs);
  const stands = () => {
    clearTimeout(patience);
    progress.sent = true;
    whenSent();
  };
  outgoing.once('close', () => clearTimeout(patience));
  outgoing.once('socket', (socket: Socket) => {
    if (outgoing.reusedSocket) {
      progress.connected = true;
      progress.reused = true;
      stands();
      return;
    }
    socket.once('connect', () => {
      progress.connected = true;
    });
    socket.once(secure ? 'secureConnect' : 'connect', stands);
  });
}

/** Aborts the request if nothing was received for this long; starts when the connection is established. */
function silenceTimer(outgoing: ClientRequest, ms: number | undefined): { restart(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const tooLong = () => outgoing.destroy(new OutboundError('timeout', 'no complete response in time', { sent: true }));
  const restart = () => {
    stop();
    if (ms !== undefined) timer = setTimeout(tooLong, ms);
  };
  return { restart, stop };
}

/** Resolves with the final response; interim responses (1xx) are skipped. */
function responseTo(outgoing: ClientRequest, body: Buffer, waitsForContinue: boolean): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = () => {
      clearTimeout(patience);
      if (!outgoing.writableEnded) outgoing.end(body);
    };
    const patience = waitsForContinue ? setTimeout(send, continuePatienceMs) : undefined;
    outgoing.once('continue', send);
    outgoing.once('response', (incoming) => {
      clearTimeout(patience);
      resolve(incoming);
    });
    outgoing.on('error', (error) => {
      clearTimeout(patience);
      reject(error);
    });
    outgoing.once('upgrade', (_incoming, socket: Socket) => socket.destroy());
    outgoing.once('close', () => reject(new Error('the connection ended without a response')));
    if (waitsForContinue) outgoing.flushHeaders();
    else send();
  });
}

async function read(
  incoming: IncomingMessage,
  outgoing: ClientRequest,
  { maxResponseBytes: limit = 65_536, oversize = 'fail' }: OutboundRequest,
  heard: () => void,
): Promise<OutboundResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  heard();
  for await (const chunk of incoming) {
    chunks.push(chunk);
    size += chunk.length;
    heard();
    // Leaving the loop destroys the stream, so an endless response costs at most one chunk more than the limit.
    if (size > limit) break;
  }
  // If the receiver has responded before the body was sent, do not send the body.
  if (!outgoing.writableEnded) outgoing.destroy();
  if (size > limit && oversize === 'fail') {
    throw new OutboundError('response_too_large', `the response is longer than ${limit} bytes`, { sent: true });
  }
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: Buffer.concat(chunks).subarray(0, limit),
  };
}
