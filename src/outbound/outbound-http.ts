/** The one way out by HTTP: address checked and pinned at connect, no redirects, limits on time and size. */
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { sendExpecting } from './expect-continue.ts';
import { basicAuthorization, guardedLookup, readUrl, refused, resolveName } from './outbound-address.ts';
import { OutboundError, outboundErrorFrom } from './outbound-error.ts';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** From the first byte of DNS to the last of the answer. */
  timeoutMs?: number;
  /** The longest silence once connected: before the answer's headers, and between parts of its body. */
  readTimeoutMs?: number;
  maxResponseBytes?: number;
  /** What happens to a longer answer: it is cut there, or the request fails as `response_too_large`. */
  oversize?: 'cut' | 'fail';
  /** Sends the body only once the receiver has asked for it (`Expect: 100-continue`). */
  expectContinue?: boolean;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface OutboundHttp {
  request(request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

export interface OutboundOptions {
  connectTimeoutMs?: number;
  /** Replaces the system's resolver in tests. */
  resolve?: (hostname: string) => Promise<string[]>;
}

export function outboundHttp(policy: AddressPolicy, options: OutboundOptions = {}): OutboundHttp {
  const resolve = options.resolve ?? resolveName;
  const agent = new Agent({ connect: guardedConnector(policy, options), connections: 32, pipelining: 1 });
  return {
    request: (request) => (request.expectContinue ? sendExpecting(policy, resolve, request) : send(agent, request)),
    close: () => agent.close(),
  };
}

async function send(agent: Agent, request: OutboundRequest): Promise<OutboundResponse> {
  const url = readUrl(request.url);
  const signal = AbortSignal.timeout(request.timeoutMs ?? 60_000);
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: { ...basicAuthorization(url), ...request.headers },
      body: request.body ?? null,
      signal,
      headersTimeout: request.readTimeoutMs ?? 0,
      bodyTimeout: request.readTimeoutMs ?? 0,
    });
    const body = await readUpTo(answer, request.maxResponseBytes ?? 65_536, request.oversize ?? 'fail');
    return { status: answer.statusCode, headers: answer.headers, body };
  } catch (error) {
    throw outboundErrorFrom(error, signal.aborted);
  }
}

async function readUpTo(answer: Dispatcher.ResponseData, limit: number, oversize: 'cut' | 'fail'): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    // Leaving the loop destroys the stream, so an endless answer costs one chunk more than the limit.
    if (size > limit) break;
  }
  if (size > limit && oversize === 'fail') {
    throw new OutboundError('response_too_large', `the answer is longer than ${limit} bytes`);
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/** Checks literal addresses itself, since no lookup happens for them; names are checked as they are resolved. */
function guardedConnector(policy: AddressPolicy, options: OutboundOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs ?? 5_000,
    lookup: guardedLookup(policy, options.resolve ?? resolveName),
  });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !policy.allows(host)) {
      callback(refused(), null);
      return;
    }
    connect(target, callback);
  };
}
