/**
 * The only HTTP client for outgoing requests: addresses checked and pinned at connect, no redirects, limits on time and
 * size. It uses Node's own client, which skips interim responses (1xx) and can wait for 100 Continue.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { inSpan, isTracing, traceHeaders } from '../tracing.ts';
import type { AddressPolicy } from './address-policy.ts';
import { type Connections, exchange, KeptConnectionClosed } from './exchange.ts';
import { guardedLookup, type Resolve, resolveName } from './outbound-address.ts';
import { OutboundError, type OutboundRequest, type OutboundResponse } from './outbound-request.ts';
import { SentRequests } from './sent-requests.ts';

export interface OutboundHttp {
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Who sends a request counts it here, since only the sender knows whether the response was a good one. */
  readonly sent: SentRequests;
  /** Aborts running requests. */
  close(): Promise<void>;
}

interface OutboundOptions {
  connectTimeoutMs?: number;
  /** Replaces name resolution in tests. */
  resolve?: Resolve;
  /** Authorities of receivers' certificates, in tests; default: those of the system. */
  authorities?: readonly string[];
}

/** Idle connections are closed after this time; receivers usually close theirs after five seconds or more. */
const keptForMs = 4_000;

export function outboundHttp(policy: AddressPolicy, options: OutboundOptions = {}): OutboundHttp {
  const closing = new AbortController();
  const reuse = { keepAlive: true, maxFreeSockets: 8, timeout: keptForMs };
  const tls = options.authorities === undefined ? {} : { ca: [...options.authorities] };
  const kept: Connections = { http: new HttpAgent(reuse), https: new HttpsAgent({ ...reuse, ...tls }) };
  const fresh: Connections = { http: new HttpAgent(), https: new HttpsAgent(tls) };
  const way = {
    policy,
    lookup: guardedLookup(policy, options.resolve ?? resolveName),
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    closing: closing.signal,
  };
  return {
    sent: new SentRequests(),
    request: (given) =>
      traced(given, async (request) => {
        if (closing.signal.aborted) throw new OutboundError('aborted', 'this process is stopping');
        if (request.freshConnection) return exchange(way, fresh, request);
        try {
          return await exchange(way, kept, request);
        } catch (error) {
          if (!(error instanceof KeptConnectionClosed)) throw error;
          return exchange(way, fresh, request);
        }
      }),
    async close() {
      closing.abort();
      for (const agent of [kept.http, kept.https, fresh.http, fresh.https]) agent.destroy();
    },
  };
}

/** The receiver gets the trace, without the path of its URL being shown in ours: that may hold secrets. */
function traced(
  request: OutboundRequest,
  send: (request: OutboundRequest) => Promise<OutboundResponse>,
): Promise<OutboundResponse> {
  if (!isTracing()) return send(request);
  const host = URL.canParse(request.url) ? new URL(request.url).host : '';
  const attributes = { 'http.request.method': request.method, 'server.address': host };
  return inSpan('outgoing request', request.method, attributes, async (span) => {
    const response = await send({ ...request, headers: { ...traceHeaders(), ...request.headers } });
    span?.setAttribute('http.response.status_code', response.status);
    return response;
  });
}
